/** What reports about one question say, and what they reveal. */
import { explain, type Report, type Study } from "../../src/index.js";
import { people } from "../beliefs.js";
import type { Child } from "../dom.js";
import { h } from "../dom.js";
import { enumerated, groupNames } from "../names.js";
import type { Key, Texts } from "../texts.js";
import { oddsOfOne } from "./chances.js";
import { goesAlong, wordForWord } from "./words.js";

/** A hundred people who send the same, and how many of them gave another answer. */
export function crowd(others: number, say: Texts): HTMLElement {
  return h("div", { class: "crowd" }, people(100 - others, "", 20), h("div", {}, h("p", {}, say.t("alike", { count: others })), others < 100 && h("p", { class: "soft small" }, say.t("alike_dots"))));
}

/** What some reports say, in words and in bytes. Before they are sent, the page knows how many `others` of a hundred gave another answer. */
export function reportPanel(study: Study, reports: readonly Report[], say: Texts, { ticket = "", sent = false, others = -1 } = {}): Child[] {
  const several = reports.length > 1;
  const alike = others >= 0 && crowd(others, say);
  return [
    ...reports.map((report, k) => meaning(study, report, several ? k + 1 : 0, say, !several && alike)),
    several && h("p", { class: "soft small" }, say.t("reports_together")),
    several && alike,
    wordForWord(reports, say, "field_level"),
    ...goesAlong(say, { ticket, marks: study.tags.length > 0, sent }),
  ];
}

/** One report in words. With several, each has a number. */
function meaning(study: Study, report: Report, number: number, say: Texts, alike: Child): HTMLElement {
  const { odds, names } = explain(study, { report });
  const protecting = study.blocks.some(({ level, promised }) => promised && level === (report.level ?? ""));
  const bare = odds.find(({ shown }) => shown);
  const rows = groupNames(study, odds, say).map(([name, each]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, oddsOfOne(each, say))));
  const said = (one: Key, many: Key, inputs: readonly number[]) => say.rich(number ? many : one, { number, answers: enumerated(study, inputs, say) });
  const says = names!.length ? said("report_says", "report_number_says", names!) : said("report_says_nothing", "report_number_says_nothing", []);
  return h(
    "section",
    { class: "meaning" },
    bare
      ? h("p", { class: "notice warn" }, h("strong", {}, ...said("report_shows", "report_number_shows", bare.inputs)), ` ${say.t(protecting ? "answer_not_protected" : "level_not_protected")}`)
      : h("p", { class: "says" }, h("strong", {}, ...says), number < 2 && ` ${say.t("report_random")}`),
    alike,
    h("table", {}, h("caption", {}, say.t("report_odds")), h("tbody", {}, ...rows)),
  );
}
