/** What a questionnaire promises, and what the report about a form reveals, part by part. */
import { percentOf } from "./beliefs.js";
import { bytes } from "./channels/channel.js";
import type { Value } from "./channels/index.js";
import { foreignReport } from "./errors.js";
import { digits, largest } from "./exact.js";
import { oddsOf } from "./explain.js";
import { isCapped, itemsAt, type Part } from "./parts.js";
import { formNamed, levelForms, type Questionnaire } from "./questionnaire.js";
import type { Report } from "./report.js";

/** What a report reveals about the answer to a question, or to several that are reported as one. */
export interface Revealed {
  /** The names of the questions. */
  readonly questions: readonly string[];
  /** The answer itself is in the report. */
  readonly shown: boolean;
  /**
   * The answers that the report speaks for, each with its item by field. Several choices with a cap have an entry for each box that the
   * report names; it speaks for all answers with one of them. Empty if all answers are equally likely to have made the report.
   */
  readonly names: readonly Readonly<Record<string, string>>[];
  /** Several choices with a cap: the report also speaks for answers with at most so many choices. */
  readonly few?: number;
  /** How many times likelier these answers are to have made the report than any others: "2.72", "1" or "infinity". */
  readonly factor: string;
  readonly words: string;
}

export interface RevealOptions {
  readonly level?: string;
  /** Explain this report, instead of what any report of the level can reveal. */
  readonly report?: Report;
}

export interface Revelation {
  /** What is promised, for people. */
  readonly promise: string;
  /** A belief of 1 in 100 rises to so many in 100 at most. */
  readonly percent: number;
  /** Of a report: what it reveals, part by part. */
  readonly parts: readonly Revealed[];
  /** All of it as text. */
  readonly text: string;
}

/** What a questionnaire promises, and what a report reveals: read off the tables, not off the study's own words. */
export function reveal(study: Questionnaire, { level, report }: RevealOptions = {}): Revelation {
  if (report && report.study !== study.fingerprint) throw foreignReport();
  const form = report && formNamed(study, report.level);
  const percent = percentOf(largest(levelForms(study, form ? form.level : (level ?? study.levels[0]!.name)).map(({ ratio }) => ratio)));
  const promise =
    "If someone thinks there is a 1 in 100 chance that you gave certain answers, seeing your report can raise that to at most about " +
    `${percent} in 100.${study.notion === "uldp" ? " This doesn't cover answers that aren't sensitive, which may be sent as they are." : ""}`;
  let rest = bytes(report?.report ?? "");
  const parts = (form?.parts ?? []).map((part) => {
    const record = rest.subarray(0, part.channel.width);
    rest = rest.subarray(part.channel.width);
    return revealed(part, part.channel.read(record));
  });
  return { promise, percent, parts, text: [promise, ...parts.map(({ questions, words }) => `${questions.join(", ")}: ${words}`)].join("\n") };
}

function revealed(part: Part, value: Value): Revealed {
  const found = { questions: part.questions, ...(isCapped(part.channel) ? boxesOf(part, value.set!, part.channel) : answersOf(part, value)) };
  const listed = found.names.slice(0, 6).map((each) => Object.entries(each).map(([field, item]) => `${field} = ${item}`).join(" and "));
  if (found.names.length > 6) listed.push(`${found.names.length - 6} more`);
  if (found.few !== undefined) listed.push(`at most ${found.few} choices`);
  const words = found.shown ? `sent as it is, ${listed}` : listed.length ? `the report points to ${listed.join(" or ")}, which makes each up to ${found.factor} times likelier against the others` : "the report points to no answer";
  return { ...found, words };
}

type Found = Pick<Revealed, "shown" | "names" | "few" | "factor">;

function answersOf({ channel, fields }: Part, value: Value): Found {
  const [odds, names] = oddsOf(channel as Exclude<Part["channel"], { cap: number }>, value);
  const top = odds.find(({ inputs }) => inputs.includes(names[0]!));
  return { shown: top?.shown ?? false, names: names.map((input) => itemsAt(fields, input)), factor: top?.raised ?? "1" };
}

function boxesOf({ fields, questions, ratio }: Part, set: readonly number[], { boxes, marks, cap }: { boxes: number; marks: number; cap: number }): Found {
  const [items, dummy] = [boxes + marks, set.find((item) => item >= boxes + marks)];
  const names = set.filter((item) => item < items).map((item) => (item < boxes ? { [fields[item]!.name]: "yes" } : { [questions[0]!]: fields[0]!.domain.text(item - boxes + 2) }));
  return { shown: false, names, ...(dummy !== undefined && { few: cap - 1 - (dummy - items) }), factor: digits(ratio) };
}
