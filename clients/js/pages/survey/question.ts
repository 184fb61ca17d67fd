/** The screen of one question of a questionnaire, or of all of them. */
import type { Question, Questionnaire } from "../../src/index.js";
import { type Child, h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import { answerName, called, extrasOf, own, ownParagraphs, ownSpan } from "./own.js";
import { type Picker, pickerFor, type Value } from "./pickers.js";
import { clearQuestions, isProtected } from "./several_guarantee.js";

/** What a question is shown with. */
export interface Shown {
  readonly study: Questionnaire;
  readonly say: Texts;
  /** The questions that the report is about. */
  readonly reported: readonly string[];
  value(question: Question): Value | null;
  changed(question: Question, value: Value | null): void;
}

/** The answers to a question, with its text at the head. */
export function questionPicker(question: Question, shown: Shown, heading: HTMLElement): Picker {
  const { study, say } = shown;
  const mixed = study.notion === "uldp" && !question.choices && question.sensitive.length > 0 && question.sensitive.length < question.domain.size;
  const prefix = `q${study.questions.indexOf(question)}`;
  heading.append(ownSpan(question.texts.text, say));
  const notes = remarks(question, shown).map((key) => h("p", { class: "soft small remark" }, say.t(key)));
  const help = question.texts.help ? ownParagraphs(question.texts.help, say) : [];
  for (const each of help) each.className = "soft";
  const picker: Picker = pickerFor({
    domain: question.answers,
    say,
    legend: heading,
    help: notes.length + help.length ? h("div", {}, ...help, ...notes) : null,
    given: shown.value(question),
    extras: extrasOf(question),
    name: (code) => answerName(question, code, say),
    called: called(question, say),
    about: { protects: (code) => mixed && isProtected(study, question, code), tag: () => undefined },
    tags: [],
    ...(question.choices && { several: { atMost: question.atMost, refusal: question.refusal } }),
    id: (name) => `${prefix}-${name}`,
    changed: () => shown.changed(question, picker.value()),
  });
  picker.element.dataset["question"] = question.name;
  return picker;
}

/** What there is to say about a question besides its text. */
function remarks(question: Question, { study, reported }: Shown): Key[] {
  if (study.ask === "drawn" && !reported.includes(question.name)) return ["not_sent"];
  return clearQuestions(study).includes(question) ? ["sent_as_is"] : [];
}

/** How far one is: in words, and as a bar. */
export const progress = (number: number, count: number, say: Texts): HTMLElement =>
  h("div", { class: "progress" }, h("span", { id: "progress" }, say.t("progress", { number, count })), h("progress", { value: number - 1, max: count, "aria-labelledby": "progress" }));

/** What to say while a question has no answer. */
export const missing = (question: Question, picker: Picker, say: Texts): [key: Key, values: Record<string, string>] =>
  question.refusal === undefined ? [picker.missing, { question: own(question.texts.text, say) }] : ["missing_or_refuse", { refusal: answerName(question, question.answers.size + extrasOf(question).indexOf(question.refusal), say) }];

/** Where the first thing is that can be chosen. */
export const firstInput = (picker: Picker): HTMLElement | null => picker.element.querySelector<HTMLElement>("input:checked, input:not([type=range]), select, [tabindex='0']");

/** The buttons below. */
export const actions = (say: Texts, next: Key, back: (() => void) | null): Child =>
  h("p", { class: "actions" }, h("button", { type: "submit", class: "main", id: "next" }, say.t(next)), back && h("button", { type: "button", class: "back", id: "back", click: back }, say.t("back")));
