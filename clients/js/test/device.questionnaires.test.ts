/** The device and questionnaires: which questions count is drawn once, and the answers leave once. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answers, Device, loadQuestionnaire, loadStudy, price, type Questionnaire, readQuestionnaire } from "../src/index.js";
import { browser } from "./browser.js";
import { collecting, collector, compiled } from "./server.js";
import { Memory, read, replay } from "./support.js";

collecting();
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const load = (kind: string): Promise<Questionnaire> => loadQuestionnaire(`${collector.url}questionnaires/${kind}`);
const answers = (kind: string): Answers => read(`questionnaires/${kind}.json`).people[0].answers;

/** A source of the system's words that counts them. */
function counting() {
  const words: bigint[] = [];
  return { words, word: () => (words.push(crypto.getRandomValues(new BigUint64Array(1))[0]!), words.at(-1)!) };
}

describe("which questions count", () => {
  it("is drawn once, whatever happens before the report leaves", async () => {
    const [study, storage, source] = [await load("choices"), new Memory(), counting()];
    const device = new Device({ storage, source });
    const first = await device.asked(study);
    expect(source.words).toHaveLength(1);
    for (let k = 0; k < 20; k += 1) expect(await new Device({ storage, source }).asked(study)).toEqual(first);
    await device.forget(study);
    expect(await device.asked(study)).toEqual(first);
    await expect(device.prepare(study, {})).rejects.toMatchObject({ kind: "domain" });
    await expect(new Device({ storage, source, cap: 0.5 }).asked(study)).rejects.toMatchObject({ kind: "ledger" });
    expect(await device.asked(study)).toEqual(first);
    expect(source.words).toHaveLength(1);
    const [report] = await device.prepare(study, answers("choices"));
    expect(report!.level).toBe(first.form);
    await device.forget(study); // also with a draft
    expect(await device.asked(study)).toEqual(first);
  });

  it("is drawn, and stays, where the first answers are incomplete", async () => {
    const [study, storage, source] = [await load("choices"), new Memory(), counting()];
    await expect(new Device({ storage, source }).prepare(study, {})).rejects.toMatchObject({ kind: "domain" });
    await new Device({ storage, source }).asked(study);
    expect(source.words).toHaveLength(1);
  });

  it("is the same for two devices on one storage that ask at the same time", async () => {
    const [study, storage] = [await load("choices"), new Memory()];
    const asked = await Promise.all(Array.from({ length: 10 }, () => new Device({ storage }).asked(study)));
    expect(new Set(asked.map(({ form }) => form)).size).toBe(1);
  });

  it("is drawn for each level apart, and kept for each", async () => {
    const [study, storage] = [await load("levels"), new Memory()];
    const device = new Device({ storage, source: replay(["0", "0"]) });
    expect(await device.asked(study, { level: "careful" })).toMatchObject({ form: "careful/1", level: "careful" });
    expect(await device.asked(study, { level: "usual" })).toMatchObject({ form: "usual/1", level: "usual" });
    expect(await device.asked(study, { level: "careful" })).toMatchObject({ form: "careful/1" });
    await expect(device.asked(study)).rejects.toMatchObject({ kind: "domain" });
  });

  it("is kept for levels with any name", async () => {
    const study = await load("levels");
    const strange = { ...study, levels: [{ name: "__proto__", epsilon: 4 }], forms: study.forms.map((form) => ({ ...form, level: form.level && "__proto__" })).slice(0, 6) };
    const [storage, source] = [new Memory(), counting()];
    for (let k = 0; k < 5; k += 1) await new Device({ storage, source }).asked(strange, { level: "__proto__" }).catch(() => undefined);
    expect(source.words).toHaveLength(1);
  });

  it("has the chances that the study fixes", async () => {
    const study = await load("choices");
    const n = 2000;
    const counts = new Map<string, number>();
    for (let k = 0; k < n; k += 1) {
      const { form } = await new Device({ storage: new Memory() }).asked(study);
      counts.set(form, (counts.get(form) ?? 0) + 1);
    }
    for (const { name, weight } of study.forms) {
      const p = Number(weight) / 2 ** 64;
      expect(Math.abs((counts.get(name) ?? 0) - n * p)).toBeLessThan(6 * Math.sqrt(n * p * (1 - p))); // wrong once in ten million
    }
  });

  it("is forgotten when the report is there", async () => {
    const [study, storage] = [await load("choices"), new Memory()];
    const device = new Device({ storage });
    await device.send(study, await device.prepare(study, answers("choices")));
    expect(JSON.parse(storage.text())).toEqual({
      lines: { [study.fingerprint]: { url: study.url, state: "sent", day: device.status(study).day, spent: price(study), reports: [] } },
      drafts: [],
      marks: {},
    });
    for (const tried of [device.asked(study), device.prepare(study, answers("choices"))]) await expect(tried).rejects.toMatchObject({ kind: "ledger" });
  });

  it("is drawn for a changed study apart, and an answer to the earlier one counts for it", async () => {
    const storage = new Memory();
    const [before, after] = [await readQuestionnaire(compiled("questionnaires/sample"), "https://a.example/s"), await readQuestionnaire(compiled("questionnaires/choices"), "https://a.example/s")];
    const device = new Device({ storage, fetch: () => Promise.reject(new Error("no line")) });
    const first = await device.asked(before);
    await device.asked(after);
    expect(await device.asked(before)).toEqual(first);
    await expect(device.send(before, await device.prepare(before, answers("sample")), { attempts: 1 })).rejects.toMatchObject({ kind: "line" });
    expect(storage.text()).not.toContain('"drawn"');
    await expect(device.asked(after)).rejects.toMatchObject({ kind: "ledger", message: expect.stringContaining("changed") as string });
    expect(device.status(after)).toMatchObject({ state: "waiting", changed: true });
  });
});

describe("the report of a questionnaire", () => {
  it("is drawn once for the answers that count", async () => {
    const [study, storage] = [await load("split"), new Memory()];
    const all = { smokes: "yes", age: 30, town: 7 };
    const device = new Device({ storage });
    const first = await device.prepare(study, all);
    const other = await device.prepare(study, { ...all, smokes: "no" });
    expect(other).not.toEqual(first);
    expect(await new Device({ storage }).prepare(study, all)).toEqual(first);
    expect(await device.prepare(study, { ...all, age: 30.5 })).toEqual(first); // the same bin
    expect(await device.send(study, first)).toEqual({ accepted: 1, repeated: 0 });
    expect(collector.bodies).toEqual([JSON.stringify(first[0])]);
    expect(Object.keys(JSON.parse(collector.bodies[0]!) as object).sort()).toEqual(["id", "level", "report", "study"]);
    await expect(device.send(study, other)).rejects.toMatchObject({ kind: "ledger" });
    await expect(device.send(study, first)).rejects.toMatchObject({ kind: "ledger" });
  });

  it("waits where the line is dead, and goes out once", async () => {
    const [study, storage] = [await load("capped"), new Memory()];
    const device = new Device({ storage });
    collector.turns = ["hang up"];
    const reports = await device.prepare(study, answers("capped"));
    await expect(device.send(study, reports, { attempts: 1 })).rejects.toMatchObject({ kind: "line" });
    expect(device.status(study)).toMatchObject({ state: "waiting", reports });
    expect(storage.text()).not.toMatch(/"drafts":\[\{|"drawn"/);
    expect(await new Device({ storage }).flush()).toBe(1);
    expect(device.status(study).state).toBe("sent");
    expect(new Set(collector.bodies).size).toBe(1);
  });

  it("adds what it costs to what studies of one question cost, and stops at the cap before a word is read", async () => {
    const [storage, source] = [new Memory(), counting()];
    const device = new Device({ storage, source, cap: 5 });
    const single = await loadStudy(`${collector.url}ldp`);
    await device.send(single, await device.prepare(single, "flu"));
    const study = await load("uldp");
    await device.send(study, await device.prepare(study, answers("uldp")));
    expect(device.spent()).toEqual({ epsilon: 3, shown: 1 });
    source.words.length = 0;
    const next = await load("block"); // 3 more
    await expect(device.asked(next)).rejects.toMatchObject({ kind: "ledger", message: expect.stringContaining("3 of at most 5") as string });
    await expect(device.prepare(next, answers("block"))).rejects.toMatchObject({ kind: "ledger" });
    expect(source.words).toEqual([]);
    expect(storage.text()).not.toContain('"drawn"');
  });

  it("is counted under the level of its form", async () => {
    const [study, storage] = [await load("levels"), new Memory()];
    const device = new Device({ storage });
    await device.prepare(study, answers("levels"), { level: "usual" });
    await device.send(study, await device.prepare(study, answers("levels"), { level: "careful" }));
    expect(device.spent()).toEqual({ epsilon: 1.5, shown: 0 });
  });

  it("is neither drawn nor sent if it was closed when it was loaded", async () => {
    collector.closed = true;
    const device = new Device({ storage: new Memory() });
    const study = await load("extras");
    const refused = { kind: "refused", message: "The study is closed." };
    for (const tried of [device.asked(study), device.prepare(study, answers("extras"))]) await expect(tried).rejects.toMatchObject(refused);
    expect(device.spent()).toEqual({ epsilon: 0, shown: 0 });
    expect(collector.bodies).toEqual([]);
    collector.closed = false;
    expect(await device.prepare(await load("extras"), answers("extras"))).toHaveLength(1);
  });

  it("is neither drawn nor sent before the study opens or after it closed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const study = await load("extras");
    const dated = { ...study, dates: { opens: "2027-03-01", closes: "2027-03-31" } };
    const device = new Device({ storage: new Memory() });
    for (const [day, message] of [["2027-02-28T23:59:59Z", "This study opens on 2027-03-01."], ["2027-04-01T00:00:00Z", "This study closed on 2027-03-31."]] as const) {
      vi.setSystemTime(new Date(day));
      for (const tried of [device.asked(dated), device.prepare(dated, answers("extras"))]) await expect(tried).rejects.toMatchObject({ kind: "refused", message });
    }
    vi.setSystemTime(new Date("2027-03-31T23:59:59Z"));
    const reports = await device.prepare(dated, answers("extras"));
    vi.setSystemTime(new Date("2027-04-01T00:00:00Z"));
    await expect(device.send(dated, reports)).rejects.toMatchObject({ kind: "refused" });
    expect(device.spent()).toEqual({ epsilon: 0, shown: 0 });
    expect(collector.bodies).toEqual([]);
  });
});

describe("in a browser", () => {
  beforeEach(() => browser());

  it("keeps the drawn form for all tabs, and answers in the tab alone", async () => {
    const study = await load("choices");
    const device = new Device();
    const first = await device.asked(study);
    await device.prepare(study, answers("choices"));
    const shared = localStorage.getItem("sottovoce")!;
    expect(JSON.parse(shared)).toEqual({ lines: {}, drawn: [{ study: study.fingerprint, url: study.url, level: "", form: first.form }] });
    expect(sessionStorage.getItem("sottovoce")).toMatch(/"drafts":\[\{/);
    browser({ tab: true }); // the tab is closed, and another one opened
    expect(await new Device().asked(study)).toEqual(first);
    expect(sessionStorage.getItem("sottovoce")).not.toMatch(/"drafts":\[\{/);
  });

  it("draws one form where two tabs ask at the same time", async () => {
    const study = await load("choices");
    const asked = await Promise.all(Array.from({ length: 8 }, () => new Device().asked(study)));
    expect(new Set(asked.map(({ form }) => form)).size).toBe(1);
    expect(JSON.parse(localStorage.getItem("sottovoce")!).drawn).toHaveLength(1);
  });
});
