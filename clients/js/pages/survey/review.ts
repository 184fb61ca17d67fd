/** What will leave the device, word for word, and what it can reveal; and what was sent. */
import { explain, type Report, type Study } from "../../src/index.js";
import { h } from "../dom.js";
import { enumerated, groupNames } from "../items.js";

/** Exactly the text that is sent. */
const bodyOf = (reports: readonly Report[]): string => JSON.stringify(reports.length === 1 ? reports[0] : reports);

/** What some reports say, in words and in bytes. */
export function reportPanel(study: Study, reports: readonly Report[], ticket = ""): HTMLElement {
  const several = reports.length > 1;
  const meanings = reports.map((report, k) => meaning(study, report, several ? `Report ${k + 1}` : "Your report", k === 0));
  const fields: [string, string][] = [
    ["study", "which study it is for: a fingerprint of its question, items and promise"],
    ["id", "a random number that your device made, so that a report that is sent twice counts once"],
    ["report", "what is said above, in the study's short form"],
    ...(reports[0]!.level ? [["level", "how much protection you chose"] as [string, string]] : []),
  ];
  return h(
    "div",
    {},
    ...meanings,
    several && h("p", { class: "soft small" }, "The reports together tell more than each of them; what is promised holds for all of them together."),
    h("h3", {}, "Word for word"),
    h("pre", { id: "body", tabindex: 0, "aria-label": "The text that is sent" }, bodyOf(reports)),
    h("dl", { class: "fields small" }, ...fields.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])),
    ticket !== "" && h("p", { class: "small" }, "Your ticket goes with it, and is used up. Those who gave it to you can see that it was used, not with which report."),
  );
}

/** One report in words. */
function meaning(study: Study, report: Report, subject: string, first: boolean): HTMLElement {
  const { odds, names } = explain(study, { report });
  const protecting = study.blocks.some(({ level, promised }) => promised && level === (report.level ?? ""));
  const bare = odds.find(({ shown }) => shown);
  const rows = groupNames(study, odds).map(([name, { words }]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, words)));
  const says = names!.length ? `${subject} speaks for ${enumerated(study, names!)}.` : `${subject} speaks for no answer in particular.`;
  return h(
    "section",
    { class: "meaning" },
    bare
      ? h("p", { class: "notice warn" }, h("strong", {}, `${subject} shows your answer as it is: ${enumerated(study, bare.inputs)}. `), protecting ? "The study does not protect this answer." : "Nothing is protected at the level that was chosen.")
      : h("p", { class: "says" }, h("strong", {}, says), first && " That may or may not be your answer: it was drawn at random, and leans towards the truth by no more than what follows."),
    h("table", {}, h("caption", {}, "What each answer becomes, against another, for somebody who sees it"), h("tbody", {}, ...rows)),
  );
}
