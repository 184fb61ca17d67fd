/** What a study of one question guarantees, read off its tables and not off its own words. */
import { explain, type Odds, type Study } from "../../src/index.js";
import { beliefs, type Raised, raisedAt, raisedTo } from "../beliefs.js";
import { h } from "../dom.js";
import { groupNames, inputName, shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { oddsOfAny } from "./chances.js";

function sentence(study: Study, raised: Raised | null, say: Texts): Node[] {
  if (!raised) return say.rich("guarantee_none");
  if (raised.factor === 1) return say.rich("learns_nothing");
  const values = { answer: say.quoted(inputName(study, raised.input, say)), chance: raisedTo(raised.factor, say), count: study.reports };
  return say.rich(study.reports > 1 ? "raised_together" : "raised", values);
}

/** What is guaranteed, and what any report can do to the odds of each answer. */
export function guarantee(study: Study, level: string, say: Texts): HTMLElement[] {
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
      h("p", {}, h("strong", { class: "head" }, say.t("guarantee")), ...sentence(study, raised, say)),
      raised && raised.factor > 1 && beliefs(raised.factor, say),
      open && h("p", {}, say.t("open_answers")),
      varies && h("p", { class: "small" }, say.t("guarantee_varies")),
      study.minimum > 1 && h("p", { class: "small" }, shownFrom(study, say)),
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
