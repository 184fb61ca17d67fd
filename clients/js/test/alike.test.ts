/** How many of 100 people who send the same report gave another answer: against all answers that there are, one after the other. */
import { describe, expect, it } from "vitest";
import { alike, alikeIn } from "../pages/survey/alike.js";
import { filled } from "../src/answers.js";
import { bytes } from "../src/channels/channel.js";
import { channelOf } from "../src/channels/index.js";
import { Domain } from "../src/domain.js";
import { type Answers, type Form, type Questionnaire, readQuestionnaire, readStudy, type Report, type Study } from "../src/index.js";
import { isCapped, type Part } from "../src/parts.js";
import { formNamed } from "../src/questionnaire.js";
import type { Question } from "../src/questions.js";
import { files, read } from "./support.js";

describe.each(files(".").filter((name) => read(name).likelihood.length))("reports of %s", (name) => {
  it("come from other answers as often as Python's likelihoods say", () => {
    const { channel: form, likelihood, reports, items } = read(name);
    const channel = channelOf(form);
    const domain = new Domain([{ name: "item", labels: Array.from({ length: channel.size }, (_, k) => `${k}`) }]);
    const study = { domain, tags: [], reports: 1, blocks: [{ level: "", promised: null, channel }] } as unknown as Study;
    reports.forEach((report: unknown, k: number) => {
      const value = typeof report === "number" ? { code: report } : typeof (report as unknown[])[0] === "string" ? { seed: BigInt((report as string[])[0]!), bucket: Number((report as string[])[1]) } : { set: report as number[] };
      const sent = [{ study: "", id: "", report: channel.encode(value) }] as Report[];
      const shares: number[] = likelihood[k];
      const share = 1 - shares[items[k]]! / shares.reduce((a, b) => a + b);
      expect(Math.abs(alike(study, sent, items[k]) + 0.5 - 100 * share)).toBeLessThan(0.5 + 1e-6);
    });
  });
});

it("counts several reports together", async () => {
  const study = await readStudy(read("studies/ldp.json").study);
  const { channel } = study.blocks[0]!;
  const report = (code: number) => ({ study: study.fingerprint, id: "", report: channel.encode({ code }) }) as Report;
  const weight = (code: number, item: number) => Number(channel.weights({ code })(item)[0]);
  const sum = Array.from({ length: channel.size }, (_, item) => weight(0, item) * weight(1, item)).reduce((a, b) => a + b);
  expect(alike(study, [report(0), report(1)], 1)).toBe(Math.floor(100 * (1 - (weight(0, 1) * weight(1, 1)) / sum)));
});

it("is rounded down in whole numbers, however near the next number is", () => {
  const half = 2n ** 63n;
  const found = (more: bigint) => {
    const rows = [[half + more, half - more], [half - more, half + more]].map((row) => row.map(String));
    const channel = channelOf({ kind: "matrix", rows });
    const domain = new Domain([{ name: "item", labels: ["a", "b"] }]);
    const study = { domain, tags: [], reports: 1, blocks: [{ level: "", promised: null, channel }] } as unknown as Study;
    return alike(study, [{ study: "", id: "", report: 0 }] as unknown as Report[], 0);
  };
  expect([found(0n), found(1n)]).toEqual([50, 49]);
});

/** All that a person can answer to a question who is asked. */
function possible({ answers, other, refusal, choices, atMost }: Question): (string | string[] | number)[] {
  const listed = Array.from({ length: answers.size }, (_, code) => (answers.axes[0]!.edges ? middle(answers.axes[0]!.edges as number[], code) : answers.text(code)));
  const named = [...listed, ...(other === undefined ? [] : [other])] as string[];
  const refusals = refusal === undefined ? [] : [refusal];
  if (!choices) return [...named, ...refusals];
  const sets = Array.from({ length: 2 ** named.length }, (_, mask) => named.filter((_, box) => (mask >> box) & 1));
  return [...sets.filter((each) => each.length <= (atMost ?? Infinity)), ...refusals];
}

const middle = (edges: readonly number[], bin: number): number => {
  const [low, high] = [edges[bin]!, edges[bin + 1]!];
  return low === -Infinity ? high - 1 : high === Infinity ? low + 1 : Math.ceil(low) < high ? Math.ceil(low) : (low + high) / 2;
};

/** How often a part reports so of someone with these codes, up to a factor. */
function chance({ channel, fields, ratio }: Part, record: Uint8Array, codes: readonly number[]): number {
  const value = channel.read(record);
  if (!isCapped(channel)) {
    const [a, b] = channel.weights(value)(codes.reduce((input, code, k) => input * fields[k]!.domain.size + code, 0));
    return Number(a) / Number(b);
  }
  const own = codes[0]! > 1 ? [channel.boxes + codes[0]! - 2] : codes.flatMap((code, box) => (code ? [] : [box]));
  const members = [...own, ...Array.from({ length: channel.cap - own.length }, (_, k) => channel.boxes + channel.marks + k)];
  return value.set!.some((item) => members.includes(item)) ? Number(ratio[0]) / Number(ratio[1]) : 1;
}

function* everything(questions: readonly Question[], given: Answers): Generator<Answers> {
  const [first, ...others] = questions;
  if (!first) return yield given;
  for (const answer of possible(first)) yield* everything(others, { ...given, [first.name]: answer });
}

/** One answer after the other: how many of 100 people with this report have others in the fields of a question than this person. */
function counted(study: Questionnaire, form: Form, question: Question, record: Uint8Array, given: Answers): number {
  const own = filled(study, form, given);
  const places = form.parts.flatMap(({ fields }, k) => (fields.some(({ name }) => question.fields.some((field) => field.name === name)) ? [k] : []));
  const about = new Set([question.name, ...places.flatMap((k) => form.parts[k]!.questions)]);
  for (const each of [...study.questions].reverse()) if (about.has(each.name)) Object.keys(each.after).forEach((name) => about.add(name));
  const seen = new Map<string, readonly [mine: boolean, chance: number]>();
  for (const answers of everything(study.questions.filter(({ name }) => about.has(name)), given)) {
    const codes = filled(study, form, answers);
    const key = JSON.stringify(places.map((k) => codes[k]));
    if (seen.has(key)) continue;
    let at = 0;
    const chances = form.parts.map((part, k) => chance(part, record.subarray(at, (at += part.channel.width)), codes[k]!));
    const mine = places.every((k) => form.parts[k]!.fields.every(({ name }, j) => !question.fields.some((field) => field.name === name) || codes[k]![j] === own[k]![j]));
    seen.set(key, [mine, places.reduce((product, k) => product * chances[k]!, 1)]);
  }
  const sum = (all: readonly (readonly [boolean, number])[]) => all.reduce((total, [, each]) => total + each, 0);
  return 100 * (1 - sum([...seen.values()].filter(([mine]) => mine)) / sum([...seen.values()]));
}

describe.each(files("questionnaires"))("reports of questionnaire %s", (name) => {
  it("come from other answers as often as all answers to each question say", async () => {
    const vector = read(`questionnaires/${name}`);
    const study = await readQuestionnaire(vector.study);
    for (const { answers, submission } of vector.people) {
      const report = { study: study.fingerprint, id: "", ...submission } as Report;
      const form = formNamed(study, report.level);
      const found = alikeIn(study, report, answers);
      if (!study.questions.some(({ after }) => Object.keys(after).length)) expect([...found.keys()].sort()).toEqual([...form.questions].sort());
      for (const question of study.questions.filter((each) => found.has(each.name))) {
        const exact = counted(study, form, question, bytes(report.report), answers);
        expect(Math.abs(found.get(question.name)! + 0.5 - exact), question.name).toBeLessThan(0.5 + 1e-6);
      }
    }
  });
});

/** The same by all that a form reports: of 100 people with this report, those who answered a question otherwise. */
function otherwise(study: Questionnaire, form: Form, question: Question, record: Uint8Array, given: Answers): number {
  const mine = (codes: readonly (readonly number[])[]) => JSON.stringify(form.parts.map(({ fields }, k) => codes[k]!.filter((_, j) => question.fields.some(({ name }) => name === fields[j]!.name))));
  const own = mine(filled(study, form, given));
  const seen = new Map<string, readonly [mine: boolean, chance: number]>();
  const tied = study.questions.some(({ name, after }) => question.name in after || (name === question.name && Object.keys(after).length));
  const about = study.questions.filter(({ name, after }) => (tied ? Object.keys(after).length || study.questions.some((each) => name in each.after) : name === question.name));
  for (const answers of everything(about, given)) {
    const codes = filled(study, form, answers);
    let at = 0;
    const chances = form.parts.map((part, k) => chance(part, record.subarray(at, (at += part.channel.width)), codes[k]!));
    seen.set(JSON.stringify(codes), [mine(codes) === own, chances.reduce((a, b) => a * b)]);
  }
  const all = [...seen.values()];
  const sum = (some: typeof all) => some.reduce((total, [, each]) => total + each, 0);
  return 100 * (1 - sum(all.filter(([mine]) => mine)) / sum(all));
}

it.each(["choices", "extras", "ordered", "uldp"])("says nothing of questions that skip logic ties to other parts: %s", async (name) => {
  const vector = read(`questionnaires/${name}.json`);
  const study = await readQuestionnaire(vector.study);
  let left = 0;
  for (const { answers, submission } of vector.people) {
    const report = { study: study.fingerprint, id: "", ...submission } as Report;
    const form = formNamed(study, report.level);
    const found = alikeIn(study, report, answers);
    left += form.questions.length - found.size;
    for (const question of study.questions.filter((each) => found.has(each.name))) expect(found.get(question.name)!, question.name).toBeLessThanOrEqual(otherwise(study, form, question, bytes(report.report), answers) + 1e-6);
  }
  expect(left > 0, "of the vectors, one has forms with such questions").toBe(name === "ordered");
});
