/** What reports about one question say, and what they reveal. */
import { explain, type Report, type Study } from "../../src/index.js";
import { isProtectedAt } from "../beliefs.js";
import { type Child, h } from "../dom.js";
import { enumerated, groupNames, inputName, isRange } from "../names.js";
import type { Key, Texts } from "../texts.js";
import { oddsOfOne } from "./chances.js";
import { experts, type Section } from "./experts.js";
import { isFixed } from "./fixed.js";
import { fixedAt, fixedShare, guarantee } from "./one_guarantee.js";
import { counted, FEW, setShown, shortName } from "./set_shown.js";
import { FATES } from "./uses.js";
import { goesAlong, wordForWord } from "./words.js";

/** What the page knows before reports are sent: what was answered, also as an input, and how many of a hundred who send the same gave another answer. */
export interface Own {
  readonly code: number;
  readonly input: number;
  readonly others: number;
}

/** Whether some of the reports show the answer as it is. */
export const shows = (study: Study, reports: readonly Report[]): boolean => reports.some((report) => explain(study, { report }).odds.some(({ shown }) => shown));

/** What becomes of the answer. One that isn't protected is never said to be. */
function fate(study: Study, reports: readonly Report[], { input }: Own, say: Texts): HTMLElement {
  const level = reports[0]!.level ?? "";
  const use = shows(study, reports) ? "clear" : fixedAt(study, level).includes(input) ? "fixed" : isProtectedAt(study, level, input) ? "reported" : "open";
  return h("span", { class: `badge ${use}` }, say.t(FATES[use]));
}

/** What some reports say, in words and in bytes. */
export function reportPanel(study: Study, reports: readonly Report[], say: Texts, { ticket = "", sent = false, own = null as Own | null, more = null as Section | null } = {}): Child[] {
  const several = reports.length > 1;
  const bare = shows(study, reports);
  return [
    own && h("p", { id: "answered" }, ...say.rich("you_answered", { answer: shortName(study.domain, own.code, say) }), " ", fate(study, reports, own, say)),
    ...reports.map((report, k) => meaning(study, report, several ? k + 1 : 0, say, own)),
    several && h("p", { class: "soft small" }, say.t("reports_together")),
    own && !bare && h("p", { class: "small", id: "once" }, say.t("drawn_once")),
    !bare && guarantee(study, reports[0]!.level ?? "", say, { folded: true, bare: own !== null && !isProtectedAt(study, reports[0]!.level ?? "", own.input) }),
    ...goesAlong(say, { ticket, marks: study.tags.length > 0, sent }),
    experts(
      say,
      { head: "report_odds", parts: reports.flatMap((report, k) => oddsOf(study, report, several ? k + 1 : 0, say)) },
      own && { head: "alike_head", parts: [h("p", { class: "small" }, say.t("alike", { count: own.others }))] },
      wordForWord(reports, say, "field_level"),
      more,
    ),
  ];
}

/** One report in words. With several, each has a number. */
function meaning(study: Study, report: Report, number: number, say: Texts, own: Own | null): HTMLElement {
  const { odds, names } = explain(study, { report });
  const protecting = study.blocks.some(({ level, promised }) => promised && level === (report.level ?? ""));
  const bare = odds.find(({ shown }) => shown);
  const { domain } = study;
  const codes = names!.filter((input) => input < domain.size);
  const many = codes.length > FEW && !isRange(study, names!);
  const shown = many ? say.list([counted(domain, codes.length, domain.size, say), ...names!.slice(codes.length).map((input) => inputName(study, input, say))]) : enumerated(study, names!, say);
  const said = (one: Key, numbered: Key, answers = "") => say.rich(number ? numbered : one, { number, answers });
  const says = names!.length ? said("report_says", "report_number_says", shown) : said("report_says_nothing", "report_number_says_nothing");
  const level = report.level ?? "";
  const fixed = names!.length === 1 && fixedAt(study, level).includes(names![0]!);
  const same = own !== null && names!.length === 1 && names![0] === own.input;
  const among = own !== null && many && names!.includes(own.input);
  const how = !fixed ? (same ? "drawn_as_it_was" : "drawn") : own === null ? "fixed_unknown" : same ? "fixed_own" : "drawn";
  const came = say.sentences(say.t(how), fixed ? say.t("drawn_fixed", { share: fixedShare(study, level, names![0]!, say) }) : say.t("drawn_same"), among && say.t("set_often"));
  const why = !protecting ? "level_not_protected" : bare && isFixed(study.blocks.find((block) => block.level === level)!.channel, bare.inputs[0]!) ? "answer_not_protected" : "shown_by_chance";
  return h(
    "section",
    { class: "meaning" },
    bare
      ? h("p", { class: "notice warn" }, h("strong", {}, ...said("report_shows", "report_number_shows", enumerated(study, bare.inputs, say))), `${say.space}${say.t(why)}`)
      : h("p", { class: "says" }, h("strong", {}, ...says), `${say.space}${came}`),
    ...(many ? setShown(domain, codes, codes.map((code) => shortName(domain, code, say)), own && own.code, say) : []),
  );
}

/** What a report does to the odds of each answer. */
function oddsOf(study: Study, report: Report, number: number, say: Texts): Child[] {
  const { odds, names } = explain(study, { report });
  const many = names!.filter((input) => input < study.domain.size).length > FEW && !isRange(study, names!);
  const called = ({ inputs }: (typeof odds)[number], name: string) => (many && `${inputs}` === `${names}` ? say.t("these_answers", { count: inputs.length }) : name);
  const rows = groupNames(study, odds, say).map(([name, each]) => h("tr", {}, h("th", { scope: "row" }, called(each, name)), h("td", {}, oddsOfOne(each, say))));
  return [h("table", {}, h("caption", { class: "soft small" }, say.t("report_odds_caption"), number > 0 && ` (${say.number(number)})`), h("tbody", {}, ...rows))];
}
