/** What a study of one question guarantees, read off its tables and not off its own words. */
import { explain, type Odds, type Study } from "../../src/index.js";
import { beliefs, isProtectedAt, type Raised, raisedAt, raisedHalf, raisedTo } from "../beliefs.js";
import { h } from "../dom.js";
import { groupNames, inputName, shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { oddsOfAny } from "./chances.js";
import { shortName } from "./set_shown.js";

/** An answer to speak of: the one that was chosen if it is protected, or another one. A place that no one chose goes unnamed. */
function exampleOf(study: Study, level: string, { input }: Raised, chosen: number | null, say: Texts): string {
  if (chosen !== null && isProtectedAt(study, level, chosen)) return say.quoted(shortName(study.domain, chosen, say));
  const place = input < study.domain.size && study.domain.axes[0]!.bounds;
  return place ? say.t("a_certain_place") : say.quoted(inputName(study, input, say));
}

function sentence(study: Study, level: string, raised: Raised | null, chosen: number | null, say: Texts): (Node | string)[] {
  if (!raised) return say.rich("guarantee_none");
  if (raised.factor === 1) return say.rich("learns_nothing");
  const values = { answer: exampleOf(study, level, raised, chosen, say), chance: raisedTo(raised.factor, say), count: study.reports };
  return [...say.rich(study.reports > 1 ? "raised_together" : "raised", values), say.space, raisedHalf(raised.factor, say)];
}

/** What is guaranteed, and what any report can do to the odds of each answer. `chosen` is the answer so far. */
export function guarantee(study: Study, level: string, say: Texts, chosen: number | null = null): HTMLElement[] {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const { odds } = explain(study, { level });
  const rows = groupNames(study, odds, say).map(([name, each]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, oddsOfAny(each, say))));
  const open = promised && odds.some(({ shown }: Odds) => shown);
  const raised = raisedAt(study, level);
  const varies = promised && rows.length > 1;
  return [
    h(
      "div",
      { class: promised ? "notice guarantee" : "notice warn" },
      h("p", {}, h("strong", { class: "head" }, say.t("guarantee")), ...sentence(study, level, raised, chosen, say)),
      raised && raised.factor > 1 && beliefs(raised.factor, say),
      open && h("p", {}, say.t("open_answers")),
      varies && h("p", { class: "small" }, say.t("guarantee_varies")),
      h("p", { class: "small" }, say.sentences(say.t(study.blocks.length > 1 ? "not_hidden_level" : "not_hidden"), shownFrom(study, say))),
    ),
    h(
      "details",
      {},
      h("summary", {}, say.t("odds_summary")),
      h("table", {}, h("caption", { class: "soft small" }, say.t("odds_caption")), h("tbody", {}, ...rows)),
      promised && h("p", { class: "soft small" }, say.t("odds_checked")),
    ),
  ];
}

/** A level in one line. */
export function levelWords(study: Study, level: string, say: Texts): string {
  const raised = raisedAt(study, level);
  return raised ? say.t("level_raised", { chance: raisedTo(raised.factor, say) }) : say.t("level_open");
}
