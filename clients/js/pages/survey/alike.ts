/**
 * Of 100 people who send exactly the same report, how many gave another answer: read off the tables, if all answers are equally common.
 * Rounded down in whole numbers, so that no report looks more ambiguous than it is.
 */
import type { Answers, Questionnaire, Report, Study } from "../../src/index.js";
import { filled } from "../../src/answers.js";
import { bytes } from "../../src/channels/channel.js";
import type { Value } from "../../src/channels/index.js";
import { below, over, times, UNIT } from "../../src/exact.js";
import { codesAt, type Form, isCapped, type Part } from "../../src/parts.js";
import { formNamed } from "../../src/questionnaire.js";
import { codesOf, type Question } from "../../src/questions.js";
import { blockAt } from "../../src/report.js";

/** A weight, where only quotients count: exact up to one part in 2^190, and equal for equal weights. */
const whole = below;

/** Of 100: those whose answer isn't one of weight `own`, among all answers with their weights. */
const others = (own: bigint, all: bigint): number => Number((100n * (all - own)) / all);

const total = (all: Iterable<bigint>): bigint => [...all].reduce((a, b) => a + b, 0n);

/** For the reports about one question, by people whose input is this one. */
export function alike(study: Study, reports: readonly Report[], input: number): number {
  const { channel } = blockAt(study, reports[0]!.level);
  const all = reports.map(({ report }) => channel.weights(channel.decode(report)));
  let sum = 0n;
  for (let other = 0; other < channel.size; other += 1) sum += whole(all.reduce((product, weight) => times(product, over(weight(other), weight(input))), UNIT));
  return others(whole(UNIT), sum);
}

/** Whether one person can give what a part says in all its fields: skip logic and boxes fit. Earlier questions outside the part can be anything. */
function possible({ questions }: Questionnaire, { fields }: Part, codes: readonly number[]): boolean {
  const code = ({ name }: Question): number | undefined => codes[fields.findIndex((field) => field.name === name)];
  return questions.every((question) => {
    const own = codes.filter((_, k) => question.fields.some(({ name }) => name === fields[k]!.name));
    if (!own.length) return true;
    const last = question.fields[0]!.domain.size - 1;
    const skipped = question.skipped !== undefined && own[0] === last;
    const conditions = Object.entries(question.after).map(([name, wanted]) => {
      const earlier = questions.find((each) => each.name === name)!;
      const found = code(earlier);
      return found === undefined ? undefined : codesOf(earlier, wanted).includes(found);
    });
    if (skipped ? conditions.length && conditions.every((fits) => fits === true) : conditions.includes(false)) return false;
    if (!question.choices || own.every((each) => each > 1 && each === own[0])) return true;
    return own.every((each) => each < 2) && own.filter((each) => !each).length <= (question.atMost ?? Infinity);
  });
}

/** The weight of each pattern of a question's fields in a part, given what the part reported. */
function patterns(study: Questionnaire, question: Question, part: Part, value: Value): Map<string, bigint> {
  const { channel, fields } = part as Part & { channel: Exclude<Part["channel"], { cap: number }> };
  const weight = channel.weights(value);
  const places = fields.flatMap(({ name }, k) => (question.fields.some((field) => field.name === name) ? [k] : []));
  const found = new Map<string, bigint>();
  for (let input = 0; input < channel.size; input += 1) {
    const codes = codesAt(fields, input);
    if (fields.length > 1 && !possible(study, part, codes)) continue;
    const key = `${places.map((k) => codes[k])}`;
    found.set(key, (found.get(key) ?? 0n) + whole(weight(input)));
  }
  return found;
}

/** The weights of all sets of boxes, by how many are ticked, and of each item that stands for no answer. Boxes are spread over parts. */
function setsOf(parts: readonly Map<string, bigint>[], marks: readonly number[]): { sets: bigint[]; marked: bigint[] } {
  let sets = [1n];
  for (const part of parts) {
    const next: bigint[] = [];
    for (const [key, weight] of part) {
      const codes = key.split(",").map(Number);
      if (codes.some((code) => code > 1)) continue;
      const ticked = codes.filter((code) => !code).length;
      sets.forEach((sum, k) => (next[k + ticked] = (next[k + ticked] ?? 0n) + sum * weight));
    }
    sets = Array.from(next, (each) => each ?? 0n);
  }
  const all = (key: string, mark: number) => key.split(",").every((code) => +code === mark);
  const marked = marks.map((mark) => parts.reduce((product, part) => product * ([...part].find(([key]) => all(key, mark))?.[1] ?? 0n), 1n));
  return { sets, marked };
}

/** How many sets of so many boxes there are. */
const ways = (boxes: number, ticked: number): bigint => Array.from({ length: ticked }, (_, k) => k).reduce((product, k) => (product * BigInt(boxes - k)) / BigInt(k + 1), 1n);

/** Several choices with a cap, reported as one: answers that the report speaks for weigh `ratio`, all others 1 (here both times its denominator). */
function ofCapped({ channel, ratio }: Part, value: Value, own: readonly number[]): number {
  const { boxes, marks, cap } = channel as Extract<Part["channel"], { cap: number }>;
  const set = value.set!;
  const few = cap - 1 - Math.min(Infinity, ...set.filter((item) => item >= boxes + marks).map((item) => item - boxes - marks));
  const named = set.filter((item) => item < boxes);
  const [high, low] = ratio;
  const marksThat = Array.from({ length: marks }, (_, mark) => (set.includes(boxes + mark) || few >= 1 ? high : low));
  let sum = total(marksThat);
  for (let ticked = 0; ticked <= cap; ticked += 1) {
    const all = ways(boxes, ticked);
    const missed = ticked <= few ? 0n : ways(boxes - named.length, ticked);
    sum += (all - missed) * high + missed * low;
  }
  if (own[0]! > 1) return others(marksThat[own[0]! - 2]!, sum);
  const ticked = own.flatMap((code, box) => (code ? [] : [box]));
  return others(ticked.length <= few || ticked.some((box) => named.includes(box)) ? high : low, sum);
}

/** Whether no other part of the form says anything about a question: by skip logic, or by a question that is reported together with it. */
function isAlone({ questions }: Questionnaire, { parts }: Form, name: string): boolean {
  const groups = [...questions.map((each) => [each.name, ...Object.keys(each.after)]), ...parts.map((part) => part.questions)];
  const tied = new Set([name]);
  for (let before = 0; before < tied.size; ) {
    before = tied.size;
    for (const group of groups) if (group.some((each) => tied.has(each))) group.forEach((each) => tied.add(each));
  }
  return parts.every((part) => part.questions.includes(name) || !part.questions.some((each) => tied.has(each)));
}

/**
 * For each question of a report, by people who answered it like this. Of several choices, only the boxes in the report count. A question
 * about which several parts say something is left out: its own part alone would make the report look more ambiguous than it is.
 */
export function alikeIn(study: Questionnaire, report: Report, answers: Answers): ReadonlyMap<string, number> {
  const form = formNamed(study, report.level);
  const codes = filled(study, form, answers);
  let rest = bytes(report.report);
  const read = form.parts.map((part, k) => {
    const value = part.channel.read(rest.subarray(0, part.channel.width));
    rest = rest.subarray(part.channel.width);
    return { part, value, codes: codes[k]! };
  });
  const mine = (question: Question) => read.filter(({ part }) => part.fields.some(({ name }) => question.fields.some((field) => field.name === name)));
  return new Map(study.questions.filter(({ name }) => form.questions.includes(name) && isAlone(study, form, name)).map((question) => [question.name, ofQuestion(study, question, mine(question))]));
}

type Read = { readonly part: Part; readonly value: Value; readonly codes: readonly number[] };

function ofQuestion(study: Questionnaire, question: Question, read: readonly Read[]): number {
  const [{ part, value, codes }] = read as [Read];
  if (isCapped(part.channel)) return ofCapped(part, value, codes);
  const found = read.map((each) => patterns(study, question, each.part, each.value));
  const keys = read.map((each) => `${each.codes.filter((_, k) => question.fields.some(({ name }) => name === each.part.fields[k]!.name))}`);
  const own = found.reduce((product, part, k) => product * part.get(keys[k]!)!, 1n);
  if (!question.choices) return others(own, total(found[0]!.values()));
  const { size } = question.fields[0]!.domain;
  const { sets, marked } = setsOf(found, Array.from({ length: size - 2 }, (_, k) => k + 2));
  return others(own, total([...sets.slice(0, (question.atMost ?? Infinity) + 1), ...marked]));
}
