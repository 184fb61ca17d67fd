/** The questions of a questionnaire, as a compiled study has them. */
import { count, different, entries, fields, list, textOf } from "./channels/channel.js";
import { decimal, Domain, domainOf, type Label } from "./domain.js";
import { must } from "./errors.js";

/** A text by language, or under "" if the study names no languages. */
export type Texts = Readonly<Record<string, string>>;

/** What is reported about a question: its answer, or one of its boxes. Boxes have the items "yes" and "no", and those that stand for no answer. */
export interface Field {
  readonly name: string;
  readonly domain: Domain;
}

export interface Question {
  readonly name: string;
  readonly texts: { readonly text: Texts; readonly help?: Texts };
  /** The answers that a person can choose, apart from `other` and `refusal`. */
  readonly answers: Domain;
  /** All that an answer can be: the answers, then `other`, `refusal` and `skipped`, if there are any. */
  readonly domain: Domain;
  /** The items for an answer that isn't listed, for people who prefer not to say, and for those who aren't asked. */
  readonly other: string | undefined;
  readonly refusal: string | undefined;
  readonly skipped: string | undefined;
  /** Whether several answers can be chosen, and how many at most. */
  readonly choices: boolean;
  readonly atMost: number | undefined;
  /** The question is asked only after one of these answers to each of these earlier questions. */
  readonly after: Readonly<Record<string, readonly Label[]>>;
  /** The codes of the sensitive items in `domain`, under "uldp". The boxes of several choices are always sensitive. */
  readonly sensitive: readonly number[];
  /** What items and axes are called, by language. */
  readonly labels: Readonly<Record<string, Texts>>;
  /** Questions with the same text here are reported as one. */
  readonly together: string | undefined;
  readonly fields: readonly Field[];
}

const RESERVED = /^(level|tag|id|study|report|form|)$|^\s|\s$|[+:]/;

export function textsOf(value: unknown): Texts {
  const texts = entries(value);
  must(texts.length > 0, "a text does not fit");
  texts.forEach(([, text]) => textOf(text));
  return value as Texts;
}

/** A text as people see it: without what they can't see or tell apart. */
const seen = (text: string): string =>
  text.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "").replace(/\s+/g, " ").trim().toUpperCase().toLowerCase().normalize("NFKC");

/** Whether labels are for items that there are, and each can be told from the names and labels of all others. In each group names have to differ. */
function apart(labels: Texts, groups: readonly (readonly string[])[]): boolean {
  const named = (item: string) => (Object.hasOwn(labels, item) ? labels[item]! : item);
  const differ = (group: readonly string[]) =>
    different(group.map((item) => seen(named(item)))) && group.every((item) => !group.some((other) => other !== item && Object.hasOwn(labels, item) && seen(labels[item]!) === seen(other)));
  return Object.values(labels).every(seen) && Object.keys(labels).every((item) => groups.some((group) => group.includes(item))) && groups.every(differ);
}

/** What things are called, by language. In each group names have to differ. */
export function checkLabels(labels: unknown, languages: readonly string[], groups: readonly (readonly string[])[]): void {
  for (const [language, names] of entries(labels)) must(languages.includes(language) && apart(textsOf(names), groups), "a text does not fit");
}

/** Items as labels, which are all that boxes and items with extras have. */
const itemsOf = (labels: readonly Label[]): Domain => new Domain([{ name: "item", labels }]);

/** The codes of some answers to an earlier question. */
export const codesOf = ({ domain }: Question, answers: readonly Label[]): number[] => answers.map((answer) => domain.axes[0]!.labels.indexOf(answer));

export function questionOf(value: unknown, uldp: boolean, earlier: readonly Question[], languages: readonly string[] = []): Question {
  const form = fields(value, "name", "texts", "answers", "weight", "other?", "refusal?", "skipped?", "together?", "choices?", "at_most?", "sensitive?", "after?", "labels?");
  const { name, other, refusal, skipped, together, after = {}, labels = {}, sensitive = [], at_most: atMost } = form as Record<string, any>;
  const texts = fields(form["texts"], "text", "help?");
  Object.values(texts).forEach(textsOf);
  const fits: (holds: boolean) => asserts holds = (holds) => must(holds, `question ${name} does not fit`);
  fits(typeof name === "string" && !RESERVED.test(name));
  fits([other, refusal, skipped, together].every((text) => text === undefined || typeof text === "string"));
  const weight = decimal(form["weight"]);
  fits(weight >= 1e-3 && weight <= 1e3);
  const answers = domainOf(form["answers"]);
  const present = (...items: (string | undefined)[]) => items.filter((item) => item !== undefined);
  const extras = present(other, refusal, skipped);
  const groups: string[][] = answers.axes.map(({ labels, edges, bounds }) => [...(edges || bounds ? [] : labels.map(String)), ...present(other, refusal)]);
  if (["axes", "grid"].some((kind) => Object.hasOwn(form["answers"] as object, kind))) groups.push(answers.axes.map((axis) => axis.name));
  checkLabels(labels, languages, groups);
  const choices = form["choices"] !== undefined;
  fits((!choices || form["choices"] === 1) && (answers.axes.length < 2 || (!extras.length && !choices)));
  const domain = extras.length ? itemsOf([...answers.axes[0]!.labels, ...extras]) : answers;
  const chosen = other === undefined ? answers.size : answers.size + 1;
  const box = choices && itemsOf(["yes", "no", ...present(refusal, skipped)]);
  const reported = box ? Array.from({ length: chosen }, (_, code) => ({ name: `${name}: ${domain.text(code)}`, domain: box })) : [{ name, domain }];
  fits(reported.length <= 200 && (atMost === undefined || (choices && count(atMost) < chosen)));
  fits(Array.isArray(sensitive) && sensitive.every((code) => count(code, 0) < domain.size) && different(sensitive));
  fits(!sensitive.length || (uldp && !choices));
  const found = { name, texts, answers, domain, other, refusal, skipped, choices, atMost, after, labels, sensitive, together, fields: reported } as unknown as Question;
  const revealing = hiddenBy(found, earlier, fits);
  must(!uldp || choices || revealing.every((code) => sensitive.includes(code)), "an item that isn't sensitive reveals one that is");
  return found;
}

/** The items that have to be sensitive: a refusal, and those that reveal a sensitive answer to an earlier question. */
function hiddenBy({ domain, after, refusal, skipped }: Question, earlier: readonly Question[], fits: (holds: boolean) => asserts holds): number[] {
  const depends = entries(after);
  fits(depends.length > 0 === (skipped !== undefined));
  const code = (item: string) => domain.axes[0]!.labels.indexOf(item);
  const found = refusal === undefined ? [] : [code(refusal)];
  for (const [name, listed] of depends) {
    const before = earlier.find((each) => each.name === name);
    fits(before !== undefined && !before.choices && before.answers.axes.length === 1 && !before.answers.axes[0]!.edges);
    const codes = codesOf(before, list(listed) as Label[]);
    fits(!codes.includes(-1));
    if (codes.some((each) => before.sensitive.includes(each))) return [...Array(domain.size).keys()];
    if (before.sensitive.length) found.push(code(skipped!));
  }
  return found;
}
