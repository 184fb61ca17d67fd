/** The overview of a questionnaire: what was answered, what of it will leave, and what that can reveal. */
import { filled } from "../../src/answers.js";
import type { Channel } from "../../src/channels/index.js";
import { type Answers, type Asked, type Question, type Questionnaire, type Report, reveal, type Revealed } from "../../src/index.js";
import type { Form, Part } from "../../src/parts.js";
import { formNamed } from "../../src/questionnaire.js";
import { type Child, h } from "../dom.js";
import { enumerated, named } from "../names.js";
import type { Key, Texts } from "../texts.js";
import { alikeIn } from "./alike.js";
import type { Given } from "./asking.js";
import { factorName } from "./chances.js";
import { experts, type Section } from "./experts.js";
import { shareName, shareOf } from "./fixed.js";
import type { Frame } from "./frame.js";
import { answerName, called, itemWords, own, ownSpan, together, valueName } from "./own.js";
import { fixedIn, guarantee, isProtected, protection } from "./several_guarantee.js";
import { counted, FEW, isGrid, setShown, shortName } from "./set_shown.js";
import { boxesUsed, codeIn, FATES, fateOf, listed, useOf } from "./uses.js";
import { goesAlong, sendOrBack, wordForWord } from "./words.js";

export interface ReviewOptions {
  readonly study: Questionnaire;
  readonly report: Report;
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
  const form = formNamed(study, asked.form);
  const { parts } = reveal(study, { report });
  const codes = filled(study, form, options.answers);
  const fixed = new Set(form.parts.flatMap((part, k) => (fixedIn(part).includes(inputOf(part.fields, codes[k]!)) ? part.questions : [])));
  const questions = listed(study, asked, options.shown);
  const unused = questions.filter((question) => useOf(question, asked) === "unused");
  const list = (some: readonly Question[]) => h("ul", { class: "answers" }, ...some.map((question) => answered(question, form, parts, fixed, options)));
  return [
    frame.heading(2, say.t("your_answers")),
    list(questions.filter((question) => !unused.includes(question))),
    unused.length > 0 && h("details", { id: "unused" }, h("summary", { class: "small" }, `${say.t("stays_here")} (${say.number(unused.length)})`), list(unused)),
    frame.heading(2, say.t("what_leaves")),
    ...reportPanel(study, report, say, { ticket: options.ticket, gave: { mine: (question) => mine(question, options), answers: options.answers, asked } }),
    ...sendOrBack(say, "send_report", shows(study, report), options.send, options.back),
  ];
}

/** Whether a report shows answers as they are. */
export const shows = (study: Questionnaire, report: Report): boolean => reveal(study, { report }).parts.some(({ shown }) => shown);

/** What was answered to a question: in words, and for a place its cell. */
interface Mine {
  readonly words: string;
  readonly cell: number | null;
}

function mine(question: Question, { shown, answers, frame: { say } }: ReviewOptions): Mine {
  if (!shown.includes(question)) return { words: say.t("does_not_apply"), cell: null };
  const value = answers[question.name]!;
  return { words: valueName(question, value, say), cell: isGrid(question.answers) ? question.answers.code(value as string) : null };
}

/** How many of a hundred who send the same answered each question differently. */
const crowds = ({ questions }: Questionnaire, others: ReadonlyMap<string, number>, say: Texts): Section => ({
  head: "alike_head",
  parts: [
    h("p", { class: "soft small" }, say.t("alike_each")),
    h("table", {}, h("tbody", {}, ...questions.flatMap(({ name, texts }) => {
      const number = others.get(name);
      return number === undefined ? [] : [h("tr", {}, h("th", { scope: "row" }, ownSpan(texts.text, say)), h("td", {}, say.t("in_hundred", { number })))];
    }))),
  ],
});

/** A question with its answer, or that it doesn't apply, and what becomes of that. */
function answered(question: Question, form: Form, parts: readonly Revealed[], fixed: ReadonlySet<string>, options: ReviewOptions): HTMLElement {
  const { study, asked, shown, answers, frame: { say }, change } = options;
  const text = own(question.texts.text, say);
  const applies = shown.includes(question);
  const kept = question.choices || isProtected(study, question, codeIn(question, applies ? answers[question.name] : undefined));
  const use = fateOf(useOf(question, asked, parts), kept);
  const boxes = use === "reported" ? boxesUsed(question, form) : undefined;
  const badge = boxes ? say.t("in_report_choices", { choices: say.list(boxes.map((box) => answerName(question, box, say))) }) : say.t(FATES[use === "reported" && fixed.has(question.name) ? "fixed" : use]);
  return h(
    "li",
    { class: "answered" },
    h("span", { class: "asked" }, ownSpan(question.texts.text, say)),
    h("span", { class: "given-answer" }, h("bdi", {}, mine(question, options).words)),
    h("span", { class: `badge ${use}` }, badge),
    applies && h("button", { type: "button", class: "slight", "aria-label": say.t("change_answer", { question: text }), click: () => change(question) }, say.t("change")),
  );
}

/** What there is to say about all parts, before they are sent and after. */
const LEAVES = { all: ["what_leaves_shown", "what_left_shown"], some: ["what_leaves_mixed", "what_leaves_mixed"], none: ["what_leaves_explained", "what_left_explained"] } as const;

/** The text above the parts of a report: some of them may show answers as they are, or be an answer that is always sent. */
export function leaving(parts: readonly { shown: boolean; fixed?: boolean }[], sent = false): Key {
  const shown = parts.filter((part) => part.shown).length;
  return LEAVES[!parts.some((part) => part.shown || part.fixed) ? "none" : shown === parts.length ? "all" : "some"][sent ? 1 : 0];
}

/** What a person gave: in words, and as codes by field, for the form that the report is about. */
interface Gave {
  readonly mine: (question: Question) => Mine;
  readonly answers: Answers;
  readonly asked: Asked;
}

/** Whether a part says of each of its fields what the person answered. */
export const isSame = ({ names }: Pick<Revealed, "names">, fields: Part["fields"], codes: readonly number[]): boolean =>
  names.length === 1 && fields.every(({ name, domain }, k) => names[0]![name] !== undefined && domain.code(names[0]![name]) === codes[k]);

/** The combination of answers that these codes stand for. */
const inputOf = (fields: Part["fields"], codes: readonly number[]): number => codes.reduce((input, code, k) => input * fields[k]!.domain.size + code, 0);

/** What some people always send, if a part says that: how many with other answers send it too. */
function fixedShare({ shown, names }: Revealed, part: Part): number | undefined {
  const [only, ...others] = names;
  if (shown || only === undefined || others.length || part.fields.some(({ name }) => only[name] === undefined)) return undefined;
  const input = inputOf(part.fields, part.fields.map(({ name, domain }) => domain.code(only[name]!)));
  return fixedIn(part).includes(input) ? shareOf(part.channel as Channel, input) : undefined;
}

/** What the report says part by part. Behind it, in one fold, everything with a number or a term of its own. */
export function reportPanel(study: Questionnaire, report: Report, say: Texts, { ticket = "", sent = false, gave = undefined as Gave | undefined, more = null as Section | null } = {}): Child[] {
  const form = formNamed(study, report.level);
  const codes = gave && filled(study, form, gave.answers);
  const place = ({ questions: [name] }: Revealed) => study.questions.findIndex((each) => each.name === name);
  const read = reveal(study, { report }).parts.map((part, k) => ({ part, of: form.parts[k]!, fixed: fixedShare(part, form.parts[k]!), same: codes !== undefined && isSame(part, form.parts[k]!.fields, codes[k]!) }));
  read.sort((a, b) => place(a.part) - place(b.part));
  const parts = read.map(({ part }) => part);
  const drawn = parts.some(({ shown }) => !shown);
  const odds = parts.filter(({ shown, names }) => !shown && names.length > 0);
  const others = gave && alikeIn(study, report, gave.answers);
  return [
    h("p", {}, say.t(leaving(read.map(({ part, fixed }) => ({ shown: part.shown, fixed: fixed !== undefined })), sent))),
    h("ul", { class: "parts" }, ...read.map(({ part, of, same, fixed }) => h("li", { class: part.shown ? "clear" : "drawn" }, ...partWords(study, part, say, part.shown ? whyShown(study, part, of, say) : howDrawn(say, same, fixed, gave !== undefined), gave?.mine)))),
    gave && h("p", { class: "small", id: "once" }, say.sentences(drawn && say.t("drawn_once"), gave.asked.needed.length < study.questions.length && say.t("others_unsaid"))),
    drawn && guarantee(study, form.level, say, form),
    ...goesAlong(say, { ticket, sent }),
    experts(
      say,
      odds.length > 0 && { head: "report_odds", parts: odds.map((part) => h("p", { class: "small" }, ...say.rich("part_factor", { questions: questionsOf(study, part, say), factor: factorName(part.factor, say) }))) },
      others !== undefined && others.size > 0 && crowds(study, others, say),
      wordForWord([report], say, form.level ? "field_level_form" : "field_form"),
      more,
    ),
  ];
}

const aboutOf = (study: Questionnaire, part: Revealed): Question[] => part.questions.map((name) => study.questions.find((each) => each.name === name)!);

const questionsOf = (study: Questionnaire, part: Revealed, say: Texts): string => say.list(aboutOf(study, part).map((each) => say.quoted(own(each.texts.text, say))));

/** Why a part shows an answer: always, or by chance. */
function whyShown(study: Questionnaire, part: Revealed, { clear }: Part, say: Texts): string {
  if (!clear) return say.t("shown_by_chance");
  return say.t(aboutOf(study, part).every((each) => protection(study, each) === "none") ? "answer_not_protected" : "level_not_protected");
}

/** How a part came about that shows no answer. `known` is whether the page knows what was answered. */
function howDrawn(say: Texts, same: boolean, fixed: number | undefined, known: boolean): string {
  if (fixed === undefined) return say.sentences(say.t(same ? "drawn_as_it_was" : "drawn"), say.t("drawn_same"));
  return say.sentences(say.t(!known ? "fixed_unknown" : same ? "fixed_own" : "drawn"), say.t("drawn_fixed", { share: shareName(fixed, say) }));
}

/** Below what a drawn part says: how it came about, and beside it what was answered. */
function drawnFrom(about: readonly Question[], say: Texts, how: string, mine?: (question: Question) => Mine): HTMLElement {
  const named = (question: Question, { words }: Mine) => (about.length > 1 ? say.t("and_answer", { question: say.quoted(own(question.texts.text, say)), answer: words }) : words);
  const answered = mine && say.rich("you_answered", { answer: say.list(about.map((each) => named(each, mine(each)))) });
  return h("span", { class: "factor" }, ...(answered ? [...answered, say.space] : []), how);
}

/** One part in words. */
function partWords(study: Questionnaire, part: Revealed, say: Texts, how: string, mine?: (question: Question) => Mine): Child[] {
  const about = aboutOf(study, part);
  const questions = questionsOf(study, part, say);
  const several = part.names.length > 1 || part.few !== undefined;
  const below = part.shown ? h("span", { class: "factor" }, how) : drawnFrom(about, say, how, mine);
  if (part.names.some((fields) => Object.keys(fields).length > 1)) {
    const head = part.shown ? "part_shown_each" : several ? "part_says_some_each" : "part_says_each";
    return [...say.rich(head, { questions }), ...combinations(about, part.names, say), below];
  }
  const items = possibilities(about, part, say);
  if (!items.length) return [...say.rich("part_says_nothing", { questions }), ...(mine ? [" ", below] : [])];
  const [question] = about as [Question];
  if (items.length > FEW && part.few === undefined) {
    const { answers, domain, fields, choices } = question;
    const codes = isGrid(answers) ? part.names.map((each) => domain.code(each[question.name]!)).filter((code) => code < answers.size) : [];
    const names = codes.length ? codes.map((code) => shortName(answers, code, say)) : items;
    const cell = mine?.(question).cell ?? null;
    return [...say.rich("part_says", { questions, answers: counted(answers, items.length, choices ? fields.length : domain.size, say) }), ...setShown(answers, codes, names, cell, say), below, cell !== null && codes.includes(cell) && h("span", { class: "factor" }, say.t("set_often"))];
  }
  const answers = several ? named(items, items.length, say) : items[0]!;
  return [...say.rich(part.shown ? "part_shown" : several ? "part_says_some" : "part_says", { questions, answers }), " ", below];
}

/** Combinations of answers that are listed before the others are only counted. */
const COMBINATIONS = 6;

/** Each combination that a part points to, with a line for each answer. */
function combinations(about: readonly Question[], names: Revealed["names"], say: Texts): HTMLElement[] {
  const lists = names.slice(0, names.length > COMBINATIONS ? COMBINATIONS - 1 : COMBINATIONS).map((fields) => {
    const lines = together(about, fields, say).map(([question, answer]) => h("li", {}, h("bdi", { class: "soft" }, say.quoted(question)), " ", h("strong", {}, h("bdi", {}, answer))));
    return h("ul", { class: "pairs" }, ...lines);
  });
  const rest = names.length - lists.length;
  return rest ? [...lists, h("p", { class: "small" }, say.t("list_more", { count: rest }))] : lists;
}

/** The answers that a part points to. */
function possibilities(about: readonly Question[], { names, few }: Revealed, say: Texts): string[] {
  const found = inOrder(about, names, say) ?? names.map((fields) => alone(about[0]!, fields, say));
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

/** The item of the only field of a part: an answer, or whether a box was ticked. */
function alone(question: Question, fields: Readonly<Record<string, string>>, say: Texts): string {
  const [[field, item]] = Object.entries(fields) as [[string, string]];
  const answer = itemWords(question, item, say);
  const box = question.fields.findIndex(({ name }) => name === field);
  if (!question.choices || box < 0) return answer;
  const name = answerName(question, box, say);
  return answer === say.t("box_yes") ? name : say.t("and_answer", { question: name, answer });
}
