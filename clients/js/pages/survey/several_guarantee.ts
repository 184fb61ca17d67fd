/** What a questionnaire guarantees, read off its tables: for everything that a person reports, at each level. */
import { largest } from "../../src/exact.js";
import type { Question, Questionnaire } from "../../src/index.js";
import type { Form } from "../../src/parts.js";
import { levelForms } from "../../src/questionnaire.js";
import { beliefs, type Raised, raisedBy, raisedTo, risen } from "../beliefs.js";
import { h } from "../dom.js";
import { shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { answerName, own } from "./own.js";

/** The most by which all reports of a person together change the odds. */
const raisedIn = (study: Questionnaire, level: string): Raised => raisedBy(largest(levelForms(study, level).map(({ ratio }) => ratio)));

/** Questions whose answers are sent as they are. */
export const clearQuestions = (study: Questionnaire): Question[] =>
  study.questions.filter(({ name }) => study.parts.some((part) => part.clear && part.questions.includes(name)));

/** The answers of a question that are protected; all of them under LDP. */
export const isProtected = (study: Questionnaire, question: Question, code: number): boolean =>
  study.notion === "ldp" || question.choices || question.sensitive.includes(code);

/** How much of the study is sent as it is: nothing, all, or some questions or answers. */
export function openness({ parts }: Pick<Questionnaire, "parts">): "none" | "some" | "all" {
  if (parts.every(({ clear }) => clear)) return "all";
  return parts.some(({ clear, shows }) => clear || shows) ? "some" : "none";
}

/** An answer that stands for all that are protected, if any is: one that the form reports, or any. */
export function example(study: Questionnaire, form?: Form): [Question, number] | undefined {
  const fields = (form?.parts ?? study.parts).flatMap((part) => (part.clear ? [] : part.fields.map(({ name }) => name)));
  for (const question of study.questions) {
    const reported = (code: number) => fields.includes(question.choices ? question.fields[code]!.name : question.name);
    const code = Array.from({ length: question.answers.size }, (_, k) => k).find((each) => reported(each) && isProtected(study, question, each));
    if (code !== undefined) return [question, code];
  }
  return form && example(study);
}

/** What is guaranteed, in the same words before the first question, before the report is sent and afterwards. It is about the form that was drawn, or any. */
export function promise(study: Questionnaire, level: string, say: Texts, form?: Form): HTMLElement {
  const found = example(study, form);
  const some = openness(study) !== "none";
  const values = found && { question: say.quoted(own(found[0].texts.text, say)), answer: found[0].answers.axes[0]!.bounds ? say.t("a_certain_place") : say.quoted(answerName(found[0], found[1], say)), ...risen(raisedIn(study, level), say) };
  const words = values ? [say.t(some ? "cant_tell_protected" : "cant_tell"), say.space, ...say.rich("raised_to_question", values), say.space, say.t(some ? "raised_whole_protected" : "raised_whole")] : say.rich("guarantee_none_questions");
  return h("p", {}, h("strong", { class: "head" }, say.t("guarantee")), ...words);
}

/** The same with pictures and with what it doesn't cover. A form is about to be sent: beside each answer stands what becomes of it. */
export function guarantee(study: Questionnaire, level: string, say: Texts, form?: Form): HTMLElement {
  const found = example(study, form);
  const raised = raisedIn(study, level);
  const answer = found && (found[0].answers.axes[0]!.bounds ? say.t("a_certain_place") : say.quoted(answerName(found[0], found[1], say)));
  const clear = clearQuestions(study).map((each) => say.quoted(own(each.texts.text, say)));
  const partly = study.parts.some((part) => part.shows && !part.clear);
  return h(
    "div",
    { class: "notice guarantee", id: "guarantee" },
    promise(study, level, say, form),
    found && beliefs([[`${say.quoted(own(found[0].texts.text, say))} ${answer}`, raised]], say),
    found && openness(study) !== "none" && h("p", {}, say.t("raised_besides")),
    !form && clear.length > 0 && h("p", {}, ...say.rich("how_clear", { questions: say.list(clear) })),
    !form && partly && h("p", {}, say.t("how_some_clear")),
    h("p", { class: "small" }, say.sentences(say.t(study.levels.length > 1 ? "how_not_hidden_level" : "how_not_hidden"), shownFrom(study, say))),
  );
}

/** A level in one line. */
export const levelWords = (study: Questionnaire, level: string, say: Texts): string => say.t("level_raised", { chance: raisedTo(raisedIn(study, level), say) });
