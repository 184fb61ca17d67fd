/** The screen of one question of a questionnaire, or of all of them. */
import type { Question, Questionnaire } from "../../src/index.js";
import { type Child, h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import type { Frame } from "./frame.js";
import { answerName, called, extrasOf, own, ownParagraphs, ownSpan } from "./own.js";
import { type Picker, pickerFor, type Value } from "./pickers.js";
import { clearQuestions, type Fixed, fixedWords, isProtected, openness, protection } from "./several_guarantee.js";
import { useOf } from "./uses.js";

/** What a question is shown with. */
export interface Shown {
  readonly study: Questionnaire;
  readonly say: Texts;
  /** The questions that the report is about, and these with those on which they depend. */
  readonly reported: readonly string[];
  readonly needed: readonly string[];
  /** The answers of the report that chance never changes. */
  readonly fixed: readonly Fixed[];
  readonly frame: Frame;
  value(question: Question): Value | null;
  changed(question: Question, value: Value | null): void;
}

/** The answers to a question, with its text at the head. */
export function questionPicker(question: Question, shown: Shown, heading: HTMLElement): Picker {
  const { study, say } = shown;
  const mixed = protection(study, question) === "some" && !clearQuestions(study).includes(question);
  const prefix = `q${study.questions.indexOf(question)}`;
  heading.append(ownSpan(question.texts.text, say));
  const notes = remarks(question, shown).map((key) => h("p", { class: "soft small remark" }, say.t(key)));
  const always = fixedWords(shown.fixed.filter(({ questions }) => questions.includes(question.name)), say, true);
  if (always.length && !isIndirect(question, shown)) notes.push(h("p", { class: "soft small remark" }, ...always));
  const help = question.texts.help ? ownParagraphs(question.texts.help, say) : [];
  for (const each of help) each.className = "soft";
  const picker: Picker = pickerFor({
    domain: question.answers,
    say,
    legend: heading,
    help: notes.length + help.length ? h("div", { class: "help" }, ...help, ...notes) : null,
    given: shown.value(question),
    extras: extrasOf(question),
    name: (code) => answerName(question, code, say),
    called: called(question, say),
    about: { protects: (code) => mixed && isProtected(study, question, code), shows: (code) => mixed && !isProtected(study, question, code), tag: () => undefined },
    tags: [],
    ...(question.choices && { several: { atMost: question.atMost, refusal: question.refusal } }),
    id: (name) => `${prefix}-${name}`,
    changed: () => {
      shown.frame.settle(picker.element);
      shown.changed(question, picker.value());
    },
  });
  picker.element.dataset["question"] = question.name;
  return picker;
}

/** Whether the answer isn't sent itself, and only decides about other questions. If all are asked, that isn't said before the overview. */
const isIndirect = (question: Question, shown: Shown): boolean => shown.study.ask === "drawn" && useOf(question, shown) === "indirect";

const INDIRECT = { none: "not_sent_open", some: "not_sent_partly", all: "not_sent" } as const;
const SENT = { none: "may_be_sent", some: "open_answers", all: "all_protected" } as const;

/** What there is to say about a question besides its text. If a study protects everything, only those about places repeat it. */
function remarks(question: Question, shown: Shown): Key[] {
  const { study } = shown;
  const kept = protection(study, question);
  if (isIndirect(question, shown)) return [INDIRECT[kept]];
  if (clearQuestions(study).includes(question)) return ["sent_as_is"];
  return openness(study) === "none" && !question.answers.axes[0]!.bounds ? [] : [SENT[kept]];
}

/** How far one is: in words, and as a bar. It isn't `certain` how many questions there are while an answer decides about others. */
export const progress = (number: number, count: number, certain: boolean, say: Texts): HTMLElement =>
  h("div", { class: "progress" }, h("span", { id: "progress" }, say.t(certain ? "progress" : "progress_most", { number, count })), h("progress", { value: number - 1, max: count, "aria-labelledby": "progress" }));

/** What to say while a question has no answer. Among several questions it is named. */
export function missing(question: Question, picker: Picker, say: Texts, among = false): [key: Key, values?: Record<string, string>] {
  const typed = [...picker.element.querySelectorAll<HTMLInputElement>("input[type=number]")].some(({ value }) => value !== "");
  if (typed) return [picker.missing]; // there is something, and it doesn't fit
  if (among) return ["missing_named", { question: say.quoted(own(question.texts.text, say)) }];
  return question.refusal === undefined ? [picker.missing] : ["missing_or_refuse", { refusal: answerName(question, question.answers.size + extrasOf(question).indexOf(question.refusal), say) }];
}

/** Where the first thing is that can be chosen. */
export const firstInput = (picker: Picker): HTMLElement | null => picker.element.querySelector<HTMLElement>("input:checked, input:not([type=range]), select, [tabindex='0']");

/** The buttons below. */
export const actions = (say: Texts, next: Key, back: (() => void) | null): Child =>
  h("p", { class: "actions" }, back && h("button", { type: "button", class: "back", id: "back", click: back }, say.t("back")), h("button", { type: "submit", class: "main", id: "next" }, say.t(next)));
