/** What a study of one question guarantees, read off its tables and not off its own words. */
import { explain, type Odds, type Study } from "../../src/index.js";
import { beliefs, type Group, isSame, raisedAt, raisedHalf, raisedTo } from "../beliefs.js";
import { h } from "../dom.js";
import { enumerated, groupNames, inputName, shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { oddsOfAny } from "./chances.js";
import { shortName } from "./set_shown.js";

/** An answer to speak of: the one that was chosen if it is protected, or the first of its group. A place that no one chose goes unnamed. */
function exampleOf(study: Study, { inputs }: Group, chosen: number | null, say: Texts): string {
  if (chosen !== null && inputs.includes(chosen)) return say.quoted(shortName(study.domain, chosen, say));
  const place = inputs[0]! < study.domain.size && study.domain.axes[0]!.bounds;
  return place ? say.t("a_certain_place") : say.quoted(inputName(study, inputs[0]!, say));
}

/** The group of the answer that was chosen, or the one that is protected the least. */
const groupOf = (groups: readonly Group[], chosen: number | null): Group | undefined => groups.find(({ inputs }) => inputs.includes(chosen ?? -1)) ?? groups.at(-1);

function sentence(study: Study, group: Group | undefined, answer: string, say: Texts): (Node | string)[] {
  if (!group) return say.rich("guarantee_none");
  if (isSame(group)) return say.rich("learns_nothing");
  const values = { answer, chance: raisedTo(group, say), count: study.reports };
  return [...say.rich(study.reports > 1 ? "raised_together" : "raised", values), say.space, raisedHalf(group, say)];
}

/** Groups of answers with their names, to be drawn. */
const named = (study: Study, groups: readonly Group[], answer: string, say: Texts): [string, Group][] =>
  groups.map((group) => [groups.length > 1 ? enumerated(study, group.inputs, say, 3) : answer, group]);

/** What is guaranteed, and what any report can do to the odds of each answer. `chosen` is the answer so far. */
export function guarantee(study: Study, level: string, say: Texts, chosen: number | null = null): HTMLElement[] {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const { odds } = explain(study, { level });
  const rows = groupNames(study, odds, say).map(([name, each]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, oddsOfAny(each, say))));
  const open = promised && odds.some(({ shown }: Odds) => shown);
  const groups = raisedAt(study, level);
  const group = groupOf(groups, chosen);
  const answer = group ? exampleOf(study, group, chosen, say) : "";
  const varies = promised && rows.length > 1;
  return [
    h(
      "div",
      { class: promised ? "notice guarantee" : "notice warn" },
      h("p", {}, h("strong", { class: "head" }, say.t("guarantee")), ...sentence(study, group, answer, say)),
      group && !isSame(groups.at(-1)!) && beliefs(named(study, groups, answer, say), say),
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
  const worst = raisedAt(study, level).at(-1);
  return worst ? say.t("level_raised", { chance: raisedTo(worst, say) }) : say.t("level_open");
}
