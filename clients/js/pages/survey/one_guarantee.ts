/** What a study of one question guarantees, read off its tables and not off its own words. */
import { explain, type Odds, type Study } from "../../src/index.js";
import { beliefs, type Group, isSame, raisedAt, raisedTo, risen } from "../beliefs.js";
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

/** Groups of answers with their names, to be drawn. */
const named = (study: Study, groups: readonly Group[], chosen: number | null, say: Texts): [string, Group][] =>
  groups.map((group) => [groups.length > 1 ? enumerated(study, group.inputs, say, 3) : exampleOf(study, group, chosen, say), group]);

/** What is guaranteed, in the same words before an answer, before it is sent and afterwards. `chosen` is the answer so far. */
export function promise(study: Study, level: string, say: Texts, chosen: number | null = null): HTMLElement {
  const group = groupOf(raisedAt(study, level), chosen);
  const open = explain(study, { level }).odds.some(({ shown }: Odds) => shown);
  const words = !group
    ? say.rich("guarantee_none")
    : isSame(group)
      ? say.rich("learns_nothing")
      : [say.t(open ? "cant_tell_protected" : "cant_tell"), say.space, ...say.rich("raised", { answer: exampleOf(study, group, chosen, say), ...risen(group, say) })];
  return h("p", {}, h("strong", { class: "head" }, say.t("guarantee")), ...words);
}

/** The same with pictures and with what it doesn't cover. If it's about to be sent, that stands beside the answer. */
export function guarantee(study: Study, level: string, say: Texts, chosen: number | null = null, sending = false): HTMLElement {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const { odds } = explain(study, { level });
  const groups = raisedAt(study, level);
  const drawn = groups.some((group) => !isSame(group));
  return h(
    "div",
    { class: promised ? "notice guarantee" : "notice warn" },
    promise(study, level, say, chosen),
    drawn && beliefs(named(study, groups, chosen, say), say),
    !sending && promised && odds.some(({ shown }: Odds) => shown) && h("p", {}, say.t("open_answers")),
    !sending && promised && odds.length > 1 && h("p", { class: "small" }, say.t("guarantee_varies")),
    h("p", { class: "small" }, say.sentences(say.t(study.blocks.length > 1 ? "not_hidden_level" : "not_hidden"), shownFrom(study, say))),
  );
}

/** What any report can do to the odds of each answer, folded away. */
export function oddsTable(study: Study, level: string, say: Texts): HTMLElement {
  const { promised } = study.blocks.find((block) => block.level === level)!;
  const rows = groupNames(study, explain(study, { level }).odds, say).map(([name, each]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, oddsOfAny(each, say))));
  return h(
    "details",
    {},
    h("summary", {}, say.t("odds_summary")),
    h("table", {}, h("caption", { class: "soft small" }, say.t("odds_caption")), h("tbody", {}, ...rows)),
    promised && h("p", { class: "soft small" }, say.t("odds_checked")),
  );
}

/** A level in one line. */
export function levelWords(study: Study, level: string, say: Texts): string {
  const worst = raisedAt(study, level).at(-1);
  return worst ? say.t("level_raised", { chance: raisedTo(worst, say) }) : say.t("level_open");
}
