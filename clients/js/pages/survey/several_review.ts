/** The overview of a questionnaire: what was answered, what of it will leave, and what that can reveal. */
import { type Asked, type Question, type Questionnaire, type Report, reveal, type Revealed } from "../../src/index.js";
import { type Child, h } from "../dom.js";
import { enumerated, named } from "../names.js";
import type { Texts } from "../texts.js";
import type { Given } from "./asking.js";
import { factorName } from "./chances.js";
import type { Frame } from "./frame.js";
import { answerName, called, itemWords, own, ownSpan, valueName } from "./own.js";
import { guarantee } from "./several_guarantee.js";
import { goesAlong, wordForWord } from "./words.js";

export interface ReviewOptions {
  readonly study: Questionnaire;
  readonly report: Report;
  readonly level: string;
  readonly asked: Asked;
  readonly shown: readonly Question[];
  readonly answers: Given;
  readonly ticket: string;
  readonly frame: Frame;
  change(question: Question): void;
  send(): void;
  back(): void;
}

export function reviewScreen(options: ReviewOptions): Child[] {
  const { study, report, frame, asked } = options;
  const { say } = frame;
  return [
    frame.heading(2, say.t("your_answers")),
    h("ul", { class: "answers" }, ...options.shown.map((question) => answered(question, options))),
    frame.heading(2, say.t("what_leaves")),
    ...reportPanel(study, report, say, options.ticket),
    guarantee(study, options.level, say, asked.reported),
    h("p", { class: "actions" }, h("button", { type: "button", class: "main", id: "send", click: options.send }, say.t("send_report")), h("button", { type: "button", class: "back", id: "back", click: options.back }, say.t("back"))),
    h("p", { class: "soft small" }, say.t("nothing_sent_yet")),
  ];
}

/** A question with its answer, and whether the report is about it. */
function answered(question: Question, { asked, answers, frame: { say }, change }: ReviewOptions): HTMLElement {
  const text = own(question.texts.text, say);
  const counts = asked.reported.includes(question.name);
  return h(
    "li",
    { class: "answered" },
    h("span", { class: "asked" }, ownSpan(question.texts.text, say)),
    h("span", { class: "given-answer" }, h("bdi", {}, valueName(question, answers[question.name]!, say))),
    h("span", { class: counts ? "badge" : "badge stays" }, say.t(counts ? "in_report" : "stays_here")),
    h("button", { type: "button", class: "slight", "aria-label": say.t("change_answer", { question: text }), click: () => change(question) }, say.t("change")),
  );
}

/** What the report says part by part, and word for word. */
export function reportPanel(study: Questionnaire, report: Report, say: Texts, ticket = ""): Child[] {
  const { parts } = reveal(study, { report });
  const about = new Set(parts.flatMap(({ questions }) => questions));
  return [
    h("p", {}, say.t(parts.every(({ shown }) => shown) ? "what_leaves_shown" : "what_leaves_explained")),
    h("ul", { class: "parts" }, ...parts.map((part) => h("li", {}, ...partWords(study, part, say)))),
    about.size < study.questions.length && h("p", {}, say.t("part_none")),
    wordForWord([report], say, "field_form"),
    ...goesAlong(say, { ticket }),
  ];
}

/** One part in words. */
function partWords(study: Questionnaire, part: Revealed, say: Texts): Node[] {
  const about = part.questions.map((name) => study.questions.find((each) => each.name === name)!);
  const questions = say.list(about.map((each) => say.quoted(own(each.texts.text, say))));
  const items = possibilities(about, part, say);
  if (!items.length) return say.rich("part_says_nothing", { questions });
  const answers = part.names.length === 1 && part.few === undefined ? items[0]! : named(items, items.length, say);
  if (part.shown) return say.rich("part_shown", { questions, answers });
  const factor = h("span", { class: "soft small factor" }, say.t("part_factor", { factor: factorName(part.factor, say) }));
  return [...say.rich(part.names.length > 1 || part.few !== undefined ? "part_says_some" : "part_says", { questions, answers }), " ", factor].map((each) => (typeof each === "string" ? document.createTextNode(each) : each));
}

/** The answers that a part points to. */
function possibilities(about: readonly Question[], { names, few }: Revealed, say: Texts): string[] {
  const found = inOrder(about, names, say) ?? names.map((fields) => together(about, fields, say));
  return few === undefined ? found : [...found, say.t("few_choices", { count: few })];
}

/** Answers to a question with an order, as a range. */
function inOrder(about: readonly Question[], names: Revealed["names"], say: Texts): string[] | undefined {
  const [question, ...others] = about;
  if (others.length || question!.choices || names.length < 3) return undefined;
  const { answers, domain } = question!;
  const codes = names.map((fields) => domain.code(fields[question!.name]!));
  if (codes.some((code) => code >= answers.size)) return undefined;
  return [enumerated({ domain: answers, tags: [], called: called(question!, say) }, codes, say, 12)];
}

/** The items of all fields of a part as one phrase. */
function together(about: readonly Question[], fields: Readonly<Record<string, string>>, say: Texts): string {
  const entries = Object.entries(fields).map(([field, item]) => {
    const question = about.find((each) => each.name === field || each.fields.some(({ name }) => name === field))!;
    if (!question.choices) return [own(question.texts.text, say), itemWords(question, item, say)] as const;
    const box = question.fields.findIndex(({ name }) => name === field);
    return [box < 0 ? "" : answerName(question, box, say), itemWords(question, item, say)] as const;
  });
  const [[name, item]] = entries as [readonly [string, string]];
  if (entries.length > 1) return say.list(entries.map(([question, answer]) => (question ? say.t("and_answer", { question, answer }) : answer)));
  return about[0]!.choices && name ? (item === say.t("box_yes") ? name : say.t("and_answer", { question: name, answer: item })) : item;
}
