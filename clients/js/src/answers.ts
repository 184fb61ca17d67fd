/** From the answers of a person to the report about her form. */
import { base64 } from "./channels/channel.js";
import type { Item } from "./domain.js";
import { SottovoceError } from "./errors.js";
import type { Form } from "./parts.js";
import type { Questionnaire } from "./questionnaire.js";
import { codesOf, type Question } from "./questions.js";
import type { Source } from "./source.js";

/** The answers by the names of their questions; several choices are a list. A refusal is the question's item for it. */
export type Answers = Readonly<Record<string, Item | readonly Item[] | null | undefined>>;

const refuse = (message: string) => new SottovoceError("domain", message);

/** The codes of a question's fields for what a person who is asked gave; undefined if she gave nothing. */
function given(question: Question, answers: Answers): number[] | undefined {
  const { name, answers: listed, domain, other, refusal, choices, atMost, fields } = question;
  const answer = Object.hasOwn(answers, name) ? (answers[name] ?? undefined) : undefined;
  if (answer === undefined) return undefined;
  const code = (item: Item) => (typeof item === "string" && [other, refusal].includes(item) ? domain.axes[0]!.labels.indexOf(item) : listed.code(item));
  try {
    if (!choices) return [code(answer as Item)];
    const chosen = (Array.isArray(answer) ? answer : [answer]) as Item[];
    const refused = refusal !== undefined && chosen.includes(refusal);
    if (refused && chosen.length > 1) throw Error(`${refusal} comes with a choice.`);
    if (refused) return fields.map(() => 2);
    const codes = new Set(chosen.map(code));
    if (codes.size < chosen.length) throw Error("A choice is named twice.");
    if (codes.size > (atMost ?? Infinity)) throw Error(`${codes.size} choices are named, at most ${atMost} are possible.`);
    return fields.map((_, box) => (codes.has(box) ? 0 : 1));
  } catch (error) {
    throw refuse(`Question ${name}: ${(error as Error).message}`);
  }
}

/** Whether a person is asked a question; undefined if an answer on which that depends is missing. */
function asked(questionnaire: Questionnaire, { after }: Question, answers: Answers): boolean | undefined {
  const fits = Object.entries(after).map(([name, wanted]) => {
    const earlier = questionnaire.questions.find((each) => each.name === name)!;
    const codes = reported(questionnaire, earlier, answers);
    return codes && codesOf(earlier, wanted).includes(codes[0]!);
  });
  return fits.includes(false) ? false : fits.includes(undefined) ? undefined : true;
}

/** The codes of a question's fields. One that isn't asked has the item for it, whatever was given. */
function reported(questionnaire: Questionnaire, question: Question, answers: Answers): number[] | undefined {
  const mine = asked(questionnaire, question, answers);
  return mine === false ? question.fields.map(({ domain }) => domain.size - 1) : mine && given(question, answers);
}

/** Whether a question is asked after these answers; not as long as one on which that depends is missing. */
export const applies = (questionnaire: Questionnaire, name: string, answers: Answers): boolean =>
  questionnaire.questions.some((each) => each.name === name && asked(questionnaire, each, answers));

/** The questions of a form, and the earlier ones on which they depend, in the order of the questionnaire. */
export function needed({ questions }: Questionnaire, form: Form): string[] {
  const found = new Set(form.questions);
  for (const { name, after } of [...questions].reverse()) if (found.has(name)) Object.keys(after).forEach((each) => found.add(each));
  return questions.map(({ name }) => name).filter((name) => found.has(name));
}

/** The codes of all fields of a form, part by part. Every answer that is given is checked, also to questions that don't count. */
export function filled(questionnaire: Questionnaire, form: Form, answers: Answers): number[][] {
  const { questions } = questionnaire;
  const unknown = Object.keys(answers).find((name) => !questions.some((each) => each.name === name));
  if (unknown !== undefined) throw refuse(`${unknown} is not a question of this study.`);
  const codes = new Map<string, number>();
  const wanted = needed(questionnaire, form);
  for (const question of questions) {
    given(question, answers);
    const found = reported(questionnaire, question, answers);
    if (!found && wanted.includes(question.name)) throw refuse(`Question ${question.name}: the answer is missing.`);
    question.fields.forEach(({ name }, k) => found && codes.set(name, found[k]!));
  }
  return form.parts.map(({ fields }) => fields.map(({ name }) => codes.get(name)!));
}

/** The records of all parts of a form, one after the other, as text. */
export function drawnFor(form: Form, codes: readonly (readonly number[])[], source: Source): string {
  return base64(Uint8Array.from(form.parts.flatMap((part, k) => [...part.channel.record(part.draw(codes[k]!, source))])));
}
