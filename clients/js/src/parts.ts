/** The parts and forms of a questionnaire: what is reported as one, and what a person reports in all. */
import { type Capped, type Channel, partChannelOf, type Value } from "./channels/index.js";
import { count, different, fields, integer, list, same, textOf } from "./channels/channel.js";
import { must } from "./errors.js";
import { type Fraction, less, ONE, power, times, UNIT } from "./exact.js";
import { BROKEN, keeps, representatives, widest } from "./judge.js";
import { type Field, type Question } from "./questions.js";
import type { Source } from "./source.js";
import { budgetOf } from "./study.js";

const PART = "a part does not fit";
const FORM = "a form does not fit";

/** Fields that are reported as one: the answer to a question, a combination of several, or the boxes of several choices with a cap. */
export interface Part {
  readonly fields: readonly Field[];
  /** The names of the questions that it is about. */
  readonly questions: readonly string[];
  readonly channel: Channel | Capped;
  /** What the device sends is the answer as it is: nothing about it is sensitive. */
  readonly clear: boolean;
  /** Some reports show an answer as it is. */
  readonly shows: boolean;
  /** The most by which a report that shows no answer changes the odds between two of them. */
  readonly ratio: Fraction;
  /** A report from the codes of the fields. */
  draw(codes: readonly number[], source: Source): Value;
}

/** What a person reports about, if she draws it. Its `name` is the `level` of her report. */
export interface Form {
  readonly name: string;
  /** The level that it belongs to, "" if people choose none. */
  readonly level: string;
  /** Its chance, out of 2^64. */
  readonly weight: bigint;
  readonly parts: readonly Part[];
  /** The names of the questions that it is about, in the order of the questionnaire. */
  readonly questions: readonly string[];
  /** The most by which its reports together change the odds. */
  readonly ratio: Fraction;
}

/** A level of privacy for the whole record; its name is "" if people choose none. */
export interface Level {
  readonly name: string;
  readonly epsilon: number;
}

export const isCapped = (channel: Channel | Capped): channel is Capped => "cap" in channel;

/** The codes of fields in a combination of their items; the last field counts fastest. */
export function codesAt(found: readonly Field[], input: number): number[] {
  let rest = input;
  const codes = [...found].reverse().map(({ domain: { size } }) => {
    const code = rest % size;
    rest = (rest - code) / size;
    return code;
  });
  return codes.reverse();
}

/** The items of fields in a combination, by the names of the fields. */
export const itemsAt = (found: readonly Field[], input: number): Record<string, string> =>
  Object.fromEntries(codesAt(found, input).map((code, k) => [found[k]!.name, found[k]!.domain.text(code)]));

export function partOf(value: unknown, uldp: boolean, questions: readonly Question[]): Part {
  const form = fields(value, "fields", "mechanism", "epsilon", "channel", "at_most?");
  const names = list(form["fields"]);
  const mine = questions.flatMap((question) => question.fields.filter(({ name }) => names.includes(name)).map((field) => ({ question, field })));
  must(typeof form["mechanism"] === "string" && mine.length === names.length && different(names), PART);
  const own = names.map((name) => mine.find(({ field }) => field.name === name)!);
  const [found, about] = [own.map(({ field }) => field), [...new Set(own.map(({ question }) => question))]];
  for (const { together } of about) {
    const group = questions.filter((each) => together !== undefined && !each.choices && each.together === together).map(({ name }) => name);
    must(same(names.filter((name) => group.includes(name as string)), group), PART);
  }
  const channel = partChannelOf(form["channel"]);
  const made = { fields: found, questions: about.map(({ name }) => name), channel };
  if (isCapped(channel)) {
    const { choices, atMost, fields: boxes } = about[0]!;
    must(
      choices && form["at_most"] === atMost && channel.cap === atMost && channel.boxes === boxes.length && same(names, boxes.map(({ name }) => name)) && channel.marks === boxes[0]!.domain.size - 2,
      PART,
    );
    must(!less(power(budgetOf(form["epsilon"])), channel.ratio), BROKEN);
    const draw = (codes: readonly number[], source: Source) =>
      channel.draw(codes[0]! > 1 ? [boxes.length + codes[0]! - 2] : codes.flatMap((code, box) => (code ? [] : [box])), source);
    return { ...made, clear: false, shows: false, ratio: channel.ratio, draw };
  }
  const sizes = found.map(({ domain }) => domain.size);
  const size = sizes.reduce((product, each) => product * each, 1);
  must(form["at_most"] === undefined && channel.size === size && (names.length === 1 || size <= 1 << 14), PART);
  const marked = own.map(({ question, field }) => (!uldp || question.choices ? [...Array(field.domain.size).keys()] : question.sensitive));
  const clear = marked.every((codes) => !codes.length);
  must(clear === (form["epsilon"] === "inf"), PART);
  const sets = marked.map((codes) => new Set(codes));
  const sensitive = (input: number) => codesAt(found, input).some((code, k) => sets[k]!.has(code));
  const all = marked.some((codes, k) => codes.length === sizes[k]);
  must(clear || keeps(channel, { notion: all ? "ldp" : "uldp", epsilon: budgetOf(form["epsilon"]), tags: [], sensitive }, 1), BROKEN);
  const draw = (codes: readonly number[], source: Source) => channel.draw(codes.reduce((code, each, k) => code * sizes[k]! + each, 0), source);
  return { ...made, clear, shows: representatives(channel).some((input) => channel.reveals(input)), ratio: widest(channel), draw };
}

export function formsOf(value: unknown, parts: readonly Part[], levels: readonly Level[], questions: readonly Question[]): Form[] {
  const forms = list(value).map((each): Form => {
    const { level = "", ...form } = fields(each, "form", "level?", "weight", "parts") as Record<string, unknown>;
    const places = list(form["parts"]).map((place) => count(place, 0));
    must(places.every((place) => place < parts.length), FORM);
    const own = places.map((place) => parts[place]!);
    const names = own.flatMap((part) => part.fields.map(({ name }) => name));
    must(different(names), FORM);
    const ratio = own.reduce((product, part) => times(product, part.ratio), UNIT);
    const about = questions.filter(({ name }) => own.some((part) => part.questions.includes(name))).map(({ name }) => name);
    return { name: textOf(form["form"]), level: level as string, weight: integer(form["weight"]), parts: own, questions: about, ratio };
  });
  const order = forms.map(({ level }) => level).filter((level, k, all) => level !== all[k - 1]);
  must(forms.length <= 128 && different(forms.map(({ name }) => name)) && same(order, levels.map(({ name }) => name)), FORM);
  for (const { name, epsilon } of levels) {
    const mine = forms.filter(({ level }) => level === name);
    const asked = new Set(mine.flatMap(({ parts }) => parts.flatMap((part) => part.fields.map((field) => field.name))));
    must(mine.every(({ weight }) => weight) && mine.reduce((sum, { weight }) => sum + weight, 0n) === ONE, FORM);
    must(questions.every((each) => each.fields.every((field) => asked.has(field.name))), FORM);
    must(mine.every(({ ratio }) => !less(power(epsilon), ratio)), BROKEN);
  }
  return forms;
}
