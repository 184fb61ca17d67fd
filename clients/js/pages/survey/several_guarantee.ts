/** What a questionnaire guarantees, read off its tables: for everything that a person reports, at each level. */
import type { Channel } from "../../src/channels/index.js";
import { largest } from "../../src/exact.js";
import type { Question, Questionnaire } from "../../src/index.js";
import { codesAt, type Form, isCapped, type Part } from "../../src/parts.js";
import { levelForms } from "../../src/questionnaire.js";
import { isLittle, type Raised, raisedBy } from "../beliefs.js";
import { type Child, h } from "../dom.js";
import { shownFrom } from "../names.js";
import type { Texts } from "../texts.js";
import { fixedInputs, shareName, shareOf } from "./fixed.js";
import { guaranteeLine, guaranteePanel } from "./guarantee_panel.js";
import { own, together } from "./own.js";

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

/** Answers that are always sent like this, and the least share of people with other answers who send them by chance. */
export interface Fixed {
  readonly questions: readonly string[];
  readonly pairs: readonly [question: string, answer: string][];
  readonly share: number;
}

/** Those of some parts. Parts that differ by level or form are listed once, with the least share. */
export function fixedOf(study: Questionnaire, parts: readonly Part[], say: Texts): Fixed[] {
  const found = new Map<string, Fixed>();
  for (const part of parts) {
    for (const input of fixedIn(part)) {
      const codes = codesAt(part.fields, input);
      const pairs = together(study.questions, Object.fromEntries(part.fields.map(({ name, domain }, k) => [name, domain.text(codes[k]!)])), say);
      const share = Math.min(shareOf(part.channel as Channel, input), found.get(`${pairs}`)?.share ?? 1);
      found.set(`${pairs}`, { questions: part.questions, pairs, share });
    }
  }
  return [...found.values()];
}

const fixedName = ({ pairs }: Fixed, say: Texts): string => say.list(pairs.map(([question, answer]) => say.t("and_answer", { question: say.quoted(question), answer })));

/** Which answers chance never changes. */
export const fixedNames = (fixed: readonly Fixed[], say: Texts): string => say.list(fixed.map((each) => fixedName(each, say)));

/** The same as a sentence, with how many others send them. On the screen of its question, an answer stands `alone`. */
export function fixedWords(fixed: readonly Fixed[], say: Texts, alone = false): Child[] {
  if (!fixed.length) return [];
  const names = fixed.map((each) => (alone && each.pairs.length === 1 ? each.pairs[0]![1] : fixedName(each, say)));
  return say.rich("cant_tell_fixed", { answers: say.list(names), count: fixed.length, share: shareName(Math.min(...fixed.map(({ share }) => share)), say) });
}

/** The parts of the forms of a level. */
export const partsAt = (study: Questionnaire, level: string): Part[] => levelForms(study, level).flatMap(({ parts }) => parts);

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
  const fixed = fixedWords(fixedOf(study, form?.parts ?? partsAt(study, level), say), say);
  const cant = isLittle(raised) ? null : fixed.length ? "cant_tell_sure" : some ? "cant_tell_protected" : "cant_tell";
  const suspects = only ? say.rich(some ? "suspects_question_protected" : "suspects_question", { question: say.quoted(own(only.texts.text, say)) }) : say.rich(some ? "suspects_protected" : "suspects");
  const words = all === "all" ? say.rich("guarantee_none_questions") : [...fixed, fixed.length > 0 && say.space, ...(cant ? [say.t(cant), say.space] : []), ...suspects];
  const below = [
    all !== "all" && h("p", { class: "small" }, say.sentences(say.t(some ? "raised_whole_protected" : "raised_whole"), some && say.t("raised_besides"))),
    !form && clear.length > 0 && h("p", {}, ...say.rich("how_clear", { count: clear.length, questions: say.list(clear) })),
    !form && parts.some((part) => part.shows && !part.clear) && h("p", {}, say.t("how_some_clear")),
    h("p", { class: "small" }, say.sentences(say.t(levels.length > 1 ? "how_not_hidden_level" : "how_not_hidden"), shownFrom(study, say))),
  ];
  return guaranteePanel(all === "all" ? undefined : raised, say, { words, below, none: all === "all", id: "guarantee", folded: form !== undefined, part: all === "some" });
}

/** A level in one line. */
export const levelWords = (study: Questionnaire, level: string, say: Texts): HTMLElement => guaranteeLine(raisedIn(study, level), say);
