/** Which questions a person sees. Skip logic decides about the screen and never about the report. */
import { needed } from "../../src/answers.js";
import type { Question, Questionnaire } from "../../src/index.js";
import type { Value } from "./pickers.js";

export type Given = Readonly<Record<string, Value>>;

/** What was answered to a question. It can have any name, such as "constructor". */
export const answerTo = (given: Given, name: string): Value | undefined => (Object.hasOwn(given, name) ? given[name] : undefined);

const named = ({ questions }: Questionnaire, name: string): Question => questions.find((each) => each.name === name)!;

/** Whether a question applies to a person with these answers; undefined while an earlier answer on which that depends is missing. */
export function applies(study: Questionnaire, { after }: Question, given: Given): boolean | undefined {
  const found = Object.entries(after).map(([name, wanted]) => {
    const earlier = named(study, name);
    const asked = applies(study, earlier, given);
    const answer = asked ? answerTo(given, name) : asked === false ? earlier.skipped : undefined;
    return answer === undefined ? undefined : wanted.some((each) => String(each) === String(answer));
  });
  return found.includes(false) ? false : found.includes(undefined) ? undefined : true;
}

/** The questions that a person is shown: those that are needed, or all of them, without those that don't apply. */
export const shownTo = (study: Questionnaire, needed: readonly string[], given: Given): Question[] =>
  study.questions.filter((each) => (study.ask === "all" || needed.includes(each.name)) && applies(study, each, given) === true);

/** How many questions there will be, as far as it is known. */
export const expected = (study: Questionnaire, needed: readonly string[], given: Given): number =>
  study.questions.filter((each) => (study.ask === "all" || needed.includes(each.name)) && applies(study, each, given) !== false).length;

/** The answers to questions that are shown: what was said to others before doesn't count. */
export const counting = (shown: readonly Question[], given: Given): Record<string, Value> =>
  Object.fromEntries(
    shown.flatMap(({ name }) => {
      const answer = answerTo(given, name);
      return answer === undefined ? [] : [[name, answer]];
    }),
  );

/** How many questions a person is asked at most at a level, before they are drawn: those of the report, and earlier ones on which they depend. */
export const askedAt = (study: Questionnaire, level: string): number => Math.max(...study.forms.filter((form) => form.level === level).map((form) => needed(study, form).length));

/** Whether some reports are about fewer questions than a person is asked for them. */
export const asksOthers = (study: Questionnaire, level: string): boolean => study.forms.some((form) => form.level === level && needed(study, form).length > form.questions.length);

/** How many questions a report is about at a level: the least and the most, before it is drawn. */
export function reportedAt(study: Questionnaire, level: string): [least: number, most: number] {
  const counts = study.forms.filter((form) => form.level === level).map(({ questions }) => questions.length);
  return [Math.min(...counts), Math.max(...counts)];
}
