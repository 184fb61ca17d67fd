/** Questionnaires: the vectors of spec/, what people see, what is refused, and what a report reveals. */
import { describe, expect, it } from "vitest";
import { type Answers, applies, Device, price, type Questionnaire, readQuestionnaire, reveal } from "../src/index.js";
import { files, Memory, read, replay } from "./support.js";

interface Person {
  level: string;
  answers: Answers;
  words: string[];
  asked: { form: string; level: string; reported: string[]; needed: string[] };
  submission: { level: string; report: string };
}

const loaded = (name: string): Promise<Questionnaire> => readQuestionnaire(read(`questionnaires/${name}.json`).study, `https://collector.example/studies/${name}`);

describe.each(files("questionnaires"))("questionnaire %s", (name) => {
  const vector = read(`questionnaires/${name}`) as { study: unknown; price: Record<string, object>; people: Person[] };

  it("draws the recorded forms and makes the recorded submissions, and reads no more words", async () => {
    const study = await readQuestionnaire(JSON.stringify(vector.study));
    for (const { level, answers, words, asked, submission } of vector.people) {
      const source = replay(words);
      const device = new Device({ storage: new Memory(), source });
      expect(await device.asked(study, { level })).toEqual(asked);
      const [report, ...others] = await device.prepare(study, answers, { level });
      expect(others).toEqual([]);
      expect(report).toMatchObject({ study: study.fingerprint, ...submission });
      expect(source.left).toEqual([]);
      const needed = Object.fromEntries(Object.entries(answers).filter(([each]) => asked.needed.includes(each)));
      expect(await device.prepare(study, needed, { level })).toEqual([report]); // what else is answered makes no difference
    }
  });

  it("costs what Python finds", async () => {
    const study = await readQuestionnaire(vector.study);
    expect(study.levels.map((level) => level.name)).toEqual(Object.keys(vector.price));
    for (const { name: level, epsilon } of study.levels) {
      expect(price(study, { level })).toEqual(vector.price[level]);
      expect(price(study, { level }).epsilon).toBeLessThanOrEqual(Math.ceil(epsilon * 1000) / 1000);
    }
  });

  it("says of each recorded report what it reveals, for all questions of its form", async () => {
    const study = await readQuestionnaire(vector.study);
    for (const { submission, asked } of vector.people) {
      const { parts, text, promise } = reveal(study, { report: { study: study.fingerprint, id: "", ...submission } });
      expect([...new Set(parts.flatMap(({ questions }) => questions))].sort()).toEqual([...asked.reported].sort());
      expect(promise).toMatch(/1 in 100/);
      expect(text.split("\n")).toHaveLength(parts.length + 1);
      for (const { factor, shown, names } of parts) if (!shown && names.length) expect(Number(factor)).toBeGreaterThan(1);
    }
  });

  it("protects every submission within its level: the factors of its parts multiply to no more", async () => {
    const study = await readQuestionnaire(vector.study);
    for (const { level, submission } of vector.people) {
      const { parts } = reveal(study, { report: { study: study.fingerprint, id: "", ...submission } });
      const product = parts.reduce((sum, { shown, factor }) => sum * (shown ? 1 : Number(factor)), 1);
      const { epsilon } = study.levels.find((each) => each.name === level)!;
      expect(Math.log(product)).toBeLessThan(epsilon + parts.length * Math.log(1.0101)); // three digits, rounded up
    }
  });
});

describe("reading a questionnaire", () => {
  it("gives all that a page needs", async () => {
    const study = await loaded("extras");
    expect(study).toMatchObject({ name: "wellbeing", ask: "all", paged: false, notion: "ldp", languages: ["en", "de"], minimum: 50 });
    expect(study.texts).toEqual({ title: { "": "How are you?" }, consent: { en: "I agree.", de: "Ich stimme zu." } });
    expect(study.dates).toEqual({ opens: "2020-01-01", closes: "9998-12-31" });
    expect(study.levels).toEqual([{ name: "", epsilon: 4 }]);
    const [works, job, hours, mood] = study.questions;
    expect(works).toMatchObject({ name: "works", refusal: "prefer not to say", other: undefined, skipped: undefined, after: {}, choices: false });
    expect(job!.after).toEqual({ works: ["yes"] });
    expect(job!.domain.axes[0]!.labels).toEqual(["nurse", "teacher", "something else", "prefer not to say", "does not apply"]);
    expect(hours!.answers.axes[0]!.edges).toHaveLength(21);
    expect(mood!.answers.axes[0]!.scale).toBe(true);
    expect(await loaded("sample")).toMatchObject({ ask: "drawn", paged: true, languages: [] });
    expect((await loaded("levels")).levels).toEqual([{ name: "careful", epsilon: 1.5 }, { name: "usual", epsilon: 4 }]);
    const symptoms = (await loaded("capped-extras")).questions[1]!;
    expect(symptoms).toMatchObject({ choices: true, atMost: 3, other: "something else" });
    expect(symptoms.fields.map(({ name }) => name)).toContain("symptoms: something else");
    expect(symptoms.fields[0]!.domain.axes[0]!.labels).toEqual(["yes", "no", "prefer not to say", "does not apply"]);
    expect((await loaded("uldp")).questions[0]!.sensitive).toEqual([0, 1, 4]);
  });

  it("doesn't take a study of one question, nor the other way round", async () => {
    await expect(readQuestionnaire(read("studies/ldp.json").study)).rejects.toMatchObject({ kind: "study" });
  });
});

describe("the questions that people see", () => {
  it("depend on what they answered", async () => {
    const study = await loaded("extras");
    const shown = (answers: Answers) => study.questions.map(({ name }) => name).filter((name) => applies(study, name, answers));
    expect(shown({})).toEqual(["works"]);
    expect(shown({ works: "yes" })).toEqual(["works", "job"]);
    expect(shown({ works: "yes", job: "nurse" })).toEqual(["works", "job", "hours"]);
    expect(shown({ works: "yes", job: "prefer not to say" })).toEqual(["works", "job", "mood"]);
    expect(shown({ works: "no", job: "nurse" })).toEqual(["works", "mood"]); // nobody without work has a job
    expect(applies(study, "weather", {})).toBe(false);
  });
});

describe("answers", () => {
  const prepared = async (name: string, answers: Answers, level = "") => {
    const study = await loaded(name);
    const words = ["f".repeat(16), ...Array.from({ length: 40 }, () => `1${"0".repeat(15)}`)]; // the last form
    return new Device({ storage: new Memory(), source: replay(words) }).prepare(study, answers, level ? { level } : {});
  };
  const all = { smokes: "yes", age: 30, town: 3 };

  it.each<[string, string, Answers, RegExp]>([
    ["split", "one that is missing", { smokes: "yes", age: 30 }, /town: the answer is missing/],
    ["split", "null", { ...all, age: null }, /age: the answer is missing/],
    ["split", "an unknown item", { ...all, smokes: "perhaps" }, /smokes: "perhaps" is not an item/],
    ["split", "an unknown question", { ...all, drinks: "yes" }, /drinks is not a question/],
    ["split", "no number", { ...all, age: Number.NaN }, /age: null is not an item/],
    ["split", "several answers where there is one", { ...all, smokes: ["yes", "no"] }, /smokes/],
    ["capped", "too many choices", { smokes: "yes", symptoms: ["cough", "fever", "rash"] }, /symptoms: 3 choices are named, at most 2 are possible/],
    ["capped", "a choice twice", { smokes: "yes", symptoms: ["cough", "cough"] }, /named twice/],
    ["capped", "an unknown choice", { smokes: "yes", symptoms: ["tired"] }, /tired/],
    ["capped-extras", "a refusal with a choice", { smokes: "yes", symptoms: ["cough", "prefer not to say"] }, /comes with a choice/],
    ["capped-extras", "that nobody asked", { smokes: "yes", symptoms: ["does not apply"] }, /not an item/],
    ["levels", "a level that isn't there", { smokes: "yes" }, /Choose one of the levels careful, usual/],
  ])("of %s with %s are refused", async (name, _, answers, message) => {
    await expect(prepared(name, answers)).rejects.toMatchObject({ kind: "domain", message: expect.stringMatching(message) as string });
  });

  it("to a question that doesn't apply make no difference, and mistakes in them are refused", async () => {
    expect(await prepared("capped-extras", { smokes: "no", symptoms: ["cough"] })).toHaveLength(1);
    await expect(prepared("capped-extras", { smokes: "no", symptoms: ["tired"] })).rejects.toMatchObject({ kind: "domain" });
  });

  it("with a mistake are refused whichever questions were drawn, before a report is", async () => {
    const study = await loaded("choices");
    const right = read("questionnaires/choices.json").people[0].answers as Answers;
    const forms = new Set<string>();
    for (let word = 0; word < 64; word += 1) {
      const device = new Device({ storage: new Memory(), source: replay([(BigInt(word) << 58n).toString(16).padStart(16, "0")]) });
      for (const name of Object.keys(right)) await expect(device.prepare(study, { ...right, [name]: "drak" })).rejects.toMatchObject({ kind: "domain" });
      forms.add((await device.asked(study)).form);
    }
    expect(forms.size).toBe(study.forms.length);
  });

  it("to several choices may be none, and a refusal may stand alone", async () => {
    expect(await prepared("capped", { smokes: "yes", symptoms: [] })).toHaveLength(1);
    expect(await prepared("capped-extras", { smokes: "yes", symptoms: "prefer not to say" })).toHaveLength(1);
  });
});

describe("what is revealed", () => {
  it("is a promise in plain words for each level", async () => {
    const study = await loaded("levels");
    const words = (level: string) => reveal(study, { level }).promise;
    expect(words("careful")).toContain("at most about 5 in 100");
    expect(words("usual")).toContain("at most about 36 in 100");
    expect(reveal(study)).toMatchObject({ percent: 5, parts: [] });
    expect(words("careful")).not.toContain("sensitive");
    expect(reveal(await loaded("uldp")).promise).toContain("answers that aren't sensitive");
  });

  it("names the answers of a block, question by question", async () => {
    const study = await loaded("block");
    const { people } = read("questionnaires/block.json") as { people: Person[] };
    const [part] = reveal(study, { report: { study: study.fingerprint, id: "", ...people[0]!.submission } }).parts;
    expect(part!.names).toHaveLength(1);
    expect(Object.keys(part!.names[0]!)).toEqual(part!.questions);
    expect(part!.words).toMatch(/ = .* and .* = /);
  });

  it("is an answer as it is, where nothing is sensitive", async () => {
    const study = await loaded("uldp");
    const { people } = read("questionnaires/uldp.json") as { people: Person[] };
    for (const { answers, submission } of people) {
      const part = reveal(study, { report: { study: study.fingerprint, id: "", ...submission } }).parts.find(({ questions }) => questions.includes("town"))!;
      expect(part).toMatchObject({ shown: true, factor: "infinity", names: [{ town: `${answers["town"]}` }], words: `sent as it is, town = ${answers["town"]}` });
    }
  });

  it("is the boxes that a capped report names, or that few are ticked", async () => {
    const study = await loaded("capped-extras");
    const { people } = read("questionnaires/capped-extras.json") as { people: Person[] };
    const parts = people.map(({ submission }) => reveal(study, { report: { study: study.fingerprint, id: "", ...submission } }).parts[0]!).filter(({ questions }) => questions[0] === "symptoms");
    expect(parts.length).toBeGreaterThan(3);
    for (const { names, few, words } of parts) {
      expect(names.length > 0 || few !== undefined).toBe(true);
      for (const [field, item] of names.flatMap((each) => Object.entries(each))) expect(field.startsWith("symptoms: ") ? item : field).toMatch(/^(yes|symptoms)$/);
      if (few !== undefined) expect(words).toContain(`at most ${few} choices`);
    }
  });

  it("is not said of a report of another study, or of none of its forms", async () => {
    const study = await loaded("split");
    const report = { study: study.fingerprint, id: "", report: "AA==", level: "9" };
    expect(() => reveal(study, { report })).toThrow(/not a report of this study/);
    expect(() => reveal(study, { report: { ...report, study: "0" } })).toThrow(/not a report of this study/);
  });
});
