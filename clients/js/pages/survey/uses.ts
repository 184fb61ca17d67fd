/** What becomes of the answer to each question: whether the report is about it, and whether that report shows it. */
import type { Question, Questionnaire, Revealed } from "../../src/index.js";
import type { Form } from "../../src/parts.js";
import type { Value } from "./pickers.js";

/** Sent as it is, reported, revealed only by a report about another question that depends on it, or not used at all. */
export type Use = "clear" | "reported" | "indirect" | "unused";

/** What is said of an answer. `fixed` ones are always reported like this, and others can be, too. `open` and `hinted` ones aren't protected, and the report happens not to show them. */
export const FATES = { clear: "sent_unchanged", reported: "in_report", fixed: "in_report_fixed", open: "not_shown", indirect: "used_indirectly", hinted: "hinted", unused: "stays_here" } as const;

/** What becomes of an answer whose question is used like this. */
export const fateOf = (use: Use, kept: boolean): keyof typeof FATES => (kept ? use : use === "reported" ? "open" : use === "indirect" ? "hinted" : use);

/** The code of an answer among the items of its question; without one, of the item that says that it doesn't apply. */
export function codeIn({ domain, answers, skipped, other, refusal }: Question, value: Value | undefined): number {
  const extra = value === undefined ? skipped : [other, refusal].find((each) => each !== undefined && each === value);
  return extra === undefined ? answers.code(value as string | number) : domain.code(extra);
}

/** What was drawn: the questions that the report is about, and these with the earlier ones on which they depend. */
export interface Drawn {
  readonly reported: readonly string[];
  readonly needed: readonly string[];
}

/** What becomes of the answer to a question. `parts` are those of the report, as far as there is one. */
export function useOf({ name }: Question, { reported, needed }: Drawn, parts: readonly Pick<Revealed, "questions" | "shown">[] = []): Use {
  if (!reported.includes(name)) return needed.includes(name) ? "indirect" : "unused";
  const mine = parts.filter(({ questions }) => questions.includes(name));
  return mine.length && mine.every(({ shown }) => shown) ? "clear" : "reported";
}

/** The questions of the overview: those that were shown, and those of the report that don't apply. */
export const listed = ({ questions }: Questionnaire, { reported }: Drawn, shown: readonly Question[]): Question[] =>
  questions.filter((each) => shown.includes(each) || reported.includes(each.name));

/** The choices that the report is about; undefined if it is about all of them, or the question has no choices. */
export function boxesUsed(question: Question, form: Form): number[] | undefined {
  if (!question.choices) return undefined;
  const used = question.fields.flatMap(({ name }, box) => (form.parts.some(({ fields }) => fields.some((field) => field.name === name)) ? [box] : []));
  return used.length && used.length < question.fields.length ? used : undefined;
}
