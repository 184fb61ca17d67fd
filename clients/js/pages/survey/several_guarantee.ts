/** What a questionnaire guarantees, read off its tables: for everything that a person reports, at each level. */
import { largest } from "../../src/exact.js";
import type { Question, Questionnaire } from "../../src/index.js";
import { type Form, isCapped, type Part } from "../../src/parts.js";
import { levelForms } from "../../src/questionnaire.js";
import { isLittle, type Raised, raisedBy } from "../beliefs.js";
import { h } from "../dom.js";
import { shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { fixedInputs } from "./fixed.js";
import { guaranteeLine, guaranteePanel } from "./guarantee_panel.js";
import { own } from "./own.js";

/** The most by which all reports of a person together change the odds. */
const raisedIn = (study: Questionnaire, level: string): Raised => raisedBy(largest(levelForms(study, level).map(({ ratio }) => ratio)));

/** Questions whose answers are sent as they are. */
export const clearQuestions = (study: Questionnaire): Question[] =>
  study.questions.filter(({ name }) => study.parts.some((part) => part.clear && part.questions.includes(name)));

/** The answers of a question that are protected; all of them under LDP. */
export const isProtected = (study: Questionnaire, question: Question, code: number): boolean =>
  study.notion === "ldp" || question.choices || question.sensitive.includes(code);

/** How many of a question's answers are protected. */
export function protection(study: Questionnaire, question: Question): "none" | "some" | "all" {
  const count = Array.from({ length: question.domain.size }, (_, code) => isProtected(study, question, code)).filter(Boolean).length;
  return count === 0 ? "none" : count < question.domain.size ? "some" : "all";
}

/** How much of the study is sent as it is: nothing, all, or some questions or answers. */
export function openness({ parts }: Pick<Questionnaire, "parts">): "none" | "some" | "all" {
  if (parts.every(({ clear }) => clear)) return "all";
  return parts.some(({ clear, shows }) => clear || shows) ? "some" : "none";
}

/** The combinations of answers of a part that are always sent like this, which others send by chance. */
export const fixedIn = ({ channel }: Part): number[] => (isCapped(channel) ? [] : fixedInputs(channel));

/** The question that the guarantee is about: the only one that the report draws by chance. Of several, none is singled out. */
export function singled({ questions }: Questionnaire, form?: Form): Question | undefined {
  const drawn = new Set(form?.parts.flatMap((part) => (part.clear ? [] : part.questions)));
  return drawn.size === 1 ? questions.find(({ name }) => drawn.has(name)) : undefined;
}

/** What is guaranteed, in the same words before the first question, before the report is sent and afterwards (then it is folded). A form is about to be sent, or was. */
export function guarantee(study: Questionnaire, level: string, say: Texts, form?: Form): HTMLElement {
  const { levels, parts } = study;
  const all = openness(study);
  const only = singled(study, form);
  const raised = raisedIn(study, level);
  const clear = clearQuestions(study).map((each) => say.quoted(own(each.texts.text, say)));
  const some = all !== "none";
  const fixed = (form?.parts ?? levelForms(study, level).flatMap((each) => each.parts)).some((part) => fixedIn(part).length);
  const cant = fixed ? "cant_tell_fixed" : isLittle(raised) ? null : some ? "cant_tell_protected" : "cant_tell";
  const suspects = only ? say.rich(some ? "suspects_question_protected" : "suspects_question", { question: say.quoted(own(only.texts.text, say)) }) : say.rich(some ? "suspects_protected" : "suspects");
  const words = all === "all" ? say.rich("guarantee_none_questions") : [...(cant ? [say.t(cant), say.space] : []), ...suspects];
  const below = [
    all !== "all" && h("p", { class: "small" }, say.sentences(say.t(some ? "raised_whole_protected" : "raised_whole"), some && say.t("raised_besides"))),
    !form && clear.length > 0 && h("p", {}, ...say.rich("how_clear", { count: clear.length, questions: say.list(clear) })),
    !form && parts.some((part) => part.shows && !part.clear) && h("p", {}, say.t("how_some_clear")),
    h("p", { class: "small" }, say.sentences(say.t(levels.length > 1 ? "how_not_hidden_level" : "how_not_hidden"), shownFrom(study, say))),
  ];
  return guaranteePanel(all === "all" ? undefined : raised, say, { words, below, none: all === "all", id: "guarantee", folded: form !== undefined });
}

/** A level in one line. */
export const levelWords = (study: Questionnaire, level: string, say: Texts): HTMLElement => guaranteeLine(raisedIn(study, level), say);
