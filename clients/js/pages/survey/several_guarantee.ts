/** What a questionnaire guarantees, read off its tables: for everything that a person reports, at each level. */
import { price, type Question, type Questionnaire } from "../../src/index.js";
import { h } from "../dom.js";
import { shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { raisedTo } from "./chances.js";
import { answerName, own } from "./own.js";

/** The most by which all reports of a person together change the odds. */
const factorOf = (study: Questionnaire, level: string): number => Math.exp(price(study, { level }).epsilon);

/** Questions whose answers are sent as they are. */
export const clearQuestions = (study: Questionnaire): Question[] =>
  study.questions.filter(({ name }) => study.parts.some((part) => part.clear && part.questions.includes(name)));

/** The answers of a question that are protected; all of them under LDP. */
export const isProtected = (study: Questionnaire, question: Question, code: number): boolean =>
  study.notion === "ldp" || question.choices || question.sensitive.includes(code);

/** An answer that stands for all that are protected, if any is. */
function example(study: Questionnaire, reported: readonly string[]): [Question, number] | undefined {
  const questions = study.questions.filter(({ name }) => reported.includes(name));
  for (const question of questions.length ? questions : study.questions) {
    const code = Array.from({ length: question.answers.size }, (_, k) => k).find((each) => isProtected(study, question, each));
    if (code !== undefined) return [question, code];
  }
  return undefined;
}

/** The guarantee in plain words, about the questions that are reported (or any, before they are drawn). */
export function guarantee(study: Questionnaire, level: string, say: Texts, reported: readonly string[] = []): HTMLElement {
  const found = example(study, reported);
  const factor = factorOf(study, level);
  const values = found && { question: say.quoted(own(found[0].texts.text, say)), answer: say.quoted(answerName(found[0], found[1], say)), chance: raisedTo(factor, say) };
  const clear = clearQuestions(study).map((each) => say.quoted(own(each.texts.text, say)));
  const partly = study.parts.some((part) => part.shows && !part.clear);
  return h(
    "div",
    { class: "notice", id: "guarantee" },
    h("p", {}, h("strong", { class: "head" }, say.t("guarantee")), ...(values ? [...say.rich("raised_to_question", values), " ", say.t("raised_whole")] : say.rich("guarantee_none_questions"))),
    clear.length > 0 && h("p", {}, ...say.rich("how_clear", { questions: say.list(clear) })),
    partly && h("p", {}, say.t("how_some_clear")),
    h("p", { class: "small" }, say.sentences(say.t(study.levels.length > 1 ? "how_not_hidden_level" : "how_not_hidden"), shownFrom(study, say))),
  );
}

/** A level in one line. */
export const levelWords = (study: Questionnaire, level: string, say: Texts): string => say.t("level_raised", { chance: raisedTo(factorOf(study, level), say) });
