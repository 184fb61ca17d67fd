/** A study's own texts, in the language that the page is in. */
import type { Question, Questionnaire, Texts as ByLanguage } from "../../src/index.js";
import { h } from "../dom.js";
import { clipped, itemName, plainNumber } from "../names.js";
import type { Key, Texts } from "../texts.js";
import type { Value } from "./pickers.js";

/** The text, and its language if it is known. */
function found(texts: ByLanguage, say: Texts): [text: string, language: string | undefined] {
  const language = [say.studys, ...Object.keys(texts)].find((each) => Object.hasOwn(texts, each))!;
  return [texts[language]!, language || undefined];
}

export const own = (texts: ByLanguage, say: Texts): string => found(texts, say)[0];

/** The text as an element that says which language it is in. */
export function ownSpan(texts: ByLanguage, say: Texts): HTMLElement {
  const [text, lang] = found(texts, say);
  return h("span", { dir: "auto", lang }, text);
}

/** Paragraphs of a text. */
export function ownParagraphs(texts: ByLanguage | undefined, say: Texts): HTMLElement[] {
  if (!texts) return [];
  const [text, lang] = found(texts, say);
  return text.split(/\n+/).map((each) => h("p", { dir: "auto", lang }, each));
}

/** The library's names for items that a study didn't name itself. */
const USUAL: ReadonlyMap<string, Key> = new Map([["prefer not to say", "prefer_not_to_say"], ["other", "other"]]);

/** An item of a field in words: an answer, whether a box was ticked, or that the question didn't apply. */
export function itemWords(question: Question, item: string, say: Texts): string {
  if (item === question.skipped) return say.t("does_not_apply");
  const extra = extrasOf(question).indexOf(item);
  if (extra >= 0) return answerName(question, question.answers.size + extra, say);
  if (question.choices) return say.t(item === "yes" ? "box_yes" : "box_no");
  return answerName(question, question.answers.code(item), say);
}

/** The items behind the answers that a person can choose. */
export const extrasOf = ({ other, refusal }: Question): string[] => [other, refusal].filter((each) => each !== undefined);

/** What a label of the question, the name of an axis, or a level of the study is called. */
export const called =
  ({ labels }: Pick<Question | Questionnaire, "labels">, say: Texts) =>
  (text: string): string => {
    const mine = Object.hasOwn(labels, say.studys) ? labels[say.studys]! : {};
    return Object.hasOwn(mine, text) ? mine[text]! : text;
  };

/** What an answer is called; behind those of the study come the extra items. */
export function answerName(question: Question, code: number, say: Texts): string {
  const { answers } = question;
  const named = called(question, say);
  if (code < answers.size) return itemName(answers, code, say, named);
  const extra = extrasOf(question)[code - answers.size]!;
  const usual = USUAL.get(extra);
  return usual && named(extra) === extra ? say.t(usual) : named(extra);
}

/** A number, and the end of the range that it counts as if it lies beyond. */
function numberName({ answers }: Question, given: number, say: Texts): string {
  const beyond = clipped(answers, given, say);
  return beyond ? say.t("clipped_answer", beyond) : plainNumber(given, say);
}

/** What a person answered, in words. */
export function valueName(question: Question, value: Value, say: Texts): string {
  const extras = extrasOf(question);
  const one = (each: string | number): string => {
    const extra = extras.indexOf(String(each));
    if (extra >= 0) return answerName(question, question.answers.size + extra, say);
    return question.answers.axes[0]!.edges && typeof each === "number" ? numberName(question, each, say) : answerName(question, question.answers.code(each), say);
  };
  if (!Array.isArray(value)) return one(value as string | number);
  return value.length ? say.list(value.map(one)) : say.t("nothing_chosen");
}

/** What is said about each of several questions that are reported as one. Boxes go by their own names. */
export function together(about: readonly Question[], fields: Readonly<Record<string, string>>, say: Texts): [question: string, answer: string][] {
  return Object.entries(fields).map(([field, item]) => {
    const question = about.find((each) => each.name === field || each.fields.some(({ name }) => name === field))!;
    const box = question.choices ? question.fields.findIndex(({ name }) => name === field) : -1;
    return [box < 0 ? own(question.texts.text, say) : answerName(question, box, say), itemWords(question, item, say)];
  });
}
