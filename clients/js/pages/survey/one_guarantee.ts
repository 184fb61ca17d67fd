/** What a study of one question guarantees, read off its tables and not off its own words. */
import { explain, type Odds, type Study } from "../../src/index.js";
import { isLittle, isProtectedAt, isSame, raisedAt } from "../beliefs.js";
import { h } from "../dom.js";
import { groupNames, shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { oddsOfAny } from "./chances.js";
import type { Section } from "./experts.js";
import { fixedInputs } from "./fixed.js";
import { guaranteeLine, guaranteePanel } from "./guarantee_panel.js";

/** The protected answers that are always sent as they are, which others send by chance. */
export const fixedAt = (study: Study, level: string): number[] =>
  fixedInputs(study.blocks.find((block) => block.level === level)!.channel).filter((input) => isProtectedAt(study, level, input));

/** What is guaranteed, in the same words before an answer, before it is sent and afterwards (then `folded`): for the answers that are protected the least. */
export function guarantee(study: Study, level: string, say: Texts, folded = false): HTMLElement {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const open = explain(study, { level }).odds.some(({ shown }: Odds) => shown);
  const groups = raisedAt(study, level);
  const worst = groups.at(-1);
  const drawn = worst && !isSame(worst);
  const cant = fixedAt(study, level).length ? "cant_tell_fixed" : drawn && isLittle(worst) ? null : open ? "cant_tell_protected" : "cant_tell";
  const words = !worst ? say.t("guarantee_none") : !drawn ? say.t("learns_nothing") : say.sentences(cant && say.t(cant), say.t(open ? "suspects_protected" : "suspects"));
  const below = [
    promised && open && h("p", {}, say.t("open_answers")),
    drawn && groups.length > 1 && h("p", { class: "small" }, say.t("guarantee_varies")),
    h("p", { class: "small" }, say.sentences(say.t(study.blocks.length > 1 ? "not_hidden_level" : "not_hidden"), shownFrom(study, say))),
  ];
  return guaranteePanel(drawn ? worst : undefined, say, { words: [words], below, none: !promised, folded });
}

/** What any report can do to the odds of each answer. Items have their own names, or these. */
export function oddsTable(study: Study, level: string, say: Texts, names?: readonly string[]): Section {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const rows = groupNames({ domain: study.domain, tags: study.tags, names }, explain(study, { level }).odds, say).map(([name, each]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, oddsOfAny(each, say))));
  return {
    head: "odds_summary",
    parts: [h("table", {}, h("caption", { class: "soft small" }, say.t("odds_caption")), h("tbody", {}, ...rows)), promised && h("p", { class: "soft small" }, say.t("odds_checked"))],
  };
}

/** A level in one line. */
export const levelWords = (study: Study, level: string, say: Texts): HTMLElement => guaranteeLine(raisedAt(study, level).at(-1), say);
