/** What a study of one question guarantees, read off its tables and not off its own words. */
import { explain, type Odds, type Study } from "../../src/index.js";
import { isLittle, isProtectedAt, isSame, raisedAt } from "../beliefs.js";
import { type Child, h } from "../dom.js";
import { enumerated, groupNames, shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { oddsOfAny } from "./chances.js";
import type { Section } from "./experts.js";
import { fixedInputs, shareName, shareOf } from "./fixed.js";
import { guaranteeLine, guaranteePanel } from "./guarantee_panel.js";

/** The protected answers that are always sent as they are, which others send by chance. */
export const fixedAt = (study: Study, level: string): number[] =>
  fixedInputs(channelAt(study, level)).filter((input) => isProtectedAt(study, level, input));

const channelAt = ({ blocks }: Study, at: string) => blocks.find(({ level }) => level === at)!.channel;

/** How many people with other answers send the same as those with a fixed one: in one report, or in all that a person sends. */
export const fixedShare = (study: Study, level: string, input: number, say: Texts, reports = 1): string => shareName(shareOf(channelAt(study, level), input) ** reports, say);

/** Which answers chance never changes, and how many others send the same. */
function fixedWords(study: Study, level: string, say: Texts): Child[] {
  const fixed = fixedAt(study, level);
  const share = (input: number) => fixedShare(study, level, input, say, study.reports);
  const [items, tags] = [fixed.filter((input) => input < study.domain.size), fixed.filter((input) => input >= study.domain.size)];
  return [
    ...(items.length ? say.rich("cant_tell_fixed", { answers: enumerated(study, items, say), count: items.length, share: share(items[0]!) }) : []),
    ...tags.flatMap((input) => [say.space, ...say.rich("cant_tell_fixed_tag", { tag: study.tags[input - study.domain.size]!, share: share(input) })]),
  ];
}

/** What chance never changes, for the fold with the pictures. */
export const fixedNames = (study: Study, level: string, say: Texts): string => {
  const fixed = fixedAt(study, level);
  return fixed.length ? enumerated(study, fixed, say) : "";
};

/** Whether the level lets some reports show an answer. */
export const isOpen = (study: Study, level: string): boolean => explain(study, { level }).odds.some(({ shown }: Odds) => shown);

/** What is guaranteed, in the same words before an answer, before it is sent and afterwards (then `folded`): for the answers that are protected the least. `bare` is for someone whose answer isn't protected. */
export function guarantee(study: Study, level: string, say: Texts, { folded = false, bare = false } = {}): HTMLElement {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const open = isOpen(study, level);
  const groups = raisedAt(study, level);
  const worst = groups.at(-1);
  const drawn = worst !== undefined && !isSame(worst);
  const fixed = fixedWords(study, level, say);
  const sure = drawn && !isLittle(worst) && say.t(fixed.length ? "cant_tell_sure" : open ? "cant_tell_protected" : "cant_tell");
  const suspects = say.sentences(sure, say.t(open ? "suspects_protected" : "suspects"));
  const words = !worst ? [say.t("guarantee_none")] : !drawn ? [say.t("learns_nothing")] : fixed.length ? [...fixed, say.space, suspects] : [suspects];
  const below = [
    promised && open && h("p", {}, say.t("open_answers")),
    drawn && groups.length > 1 && h("p", { class: "small" }, say.t("guarantee_varies")),
    h("p", { class: "small" }, say.sentences(say.t(study.blocks.length > 1 ? "not_hidden_level" : "not_hidden"), shownFrom(study, say))),
  ];
  return guaranteePanel(drawn ? worst : undefined, say, { words, below, none: !promised, folded, part: Boolean(promised) && open, bare });
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
