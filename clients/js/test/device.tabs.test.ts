/** Several devices of one origin, and what they leave behind: they count together, and nothing of an answer stays. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answers, Device, loadQuestionnaire, type Questionnaire } from "../src/index.js";
import { browser } from "./browser.js";
import { collecting, collector } from "./server.js";
import { Memory, read } from "./support.js";

collecting();
beforeEach(() => browser());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

const load = (kind: string): Promise<Questionnaire> => loadQuestionnaire(`${collector.url}questionnaires/${kind}`);
const answers = (kind: string): Answers => read(`questionnaires/${kind}.json`).people[0].answers;

/** Storage that lists its keys as its own, as a browser's does. */
function listed(): Storage {
  const found = Object.create({ getItem: (key: string) => found[key] ?? null, setItem: (key: string, value: string) => void (found[key] = value), removeItem: (key: string) => void delete found[key] }) as Record<string, string>;
  return found as unknown as Storage;
}

describe("devices of one origin", () => {
  it("count together, also if one is given the browser's storage", async () => {
    const study = await load("choices");
    await new Device().asked({ ...study, fingerprint: "a".repeat(64), url: `${study.url}-other` }); // the database has a ledger
    const one = new Device({ storage: localStorage });
    await one.ready;
    await one.send(study, await one.prepare(study, answers("choices")));
    const other = new Device();
    await other.ready;
    expect(other.status(study).state).toBe("sent");
    expect(other.spent()).toEqual(one.spent());
    await expect(other.prepare(study, answers("choices"))).rejects.toMatchObject({ kind: "ledger" });
    expect(collector.bodies).toHaveLength(1);
  });

  it("keep no codes of answers in a tab once another one has sent them", async () => {
    const study = await load("choices");
    const [first, mine] = [new Device(), sessionStorage];
    const reports = await first.prepare(study, answers("choices"));
    browser({ tab: true });
    const second = new Device();
    await second.prepare(study, answers("choices"));
    expect(sessionStorage.getItem("sottovoce")).toContain('"key"');
    const tab = sessionStorage;
    vi.stubGlobal("sessionStorage", mine);
    await first.send(study, reports);
    vi.stubGlobal("sessionStorage", tab);
    expect(second.status(study).state).toBe("sent");
    expect(sessionStorage.getItem("sottovoce")).toBe('{"drafts":[],"marks":{}}');
  });

  it("remove unsent answers of survey pages when the person opts out", async () => {
    vi.stubGlobal("localStorage", listed());
    vi.stubGlobal("sessionStorage", listed());
    for (const storage of [localStorage, sessionStorage]) {
      storage.setItem("sottovoce-answers https://collector.example/studies/survey", "heroin");
      storage.setItem("sottovoce-language", "de");
    }
    await new Device({ storage: new Memory() }).optOut();
    expect(localStorage.getItem("sottovoce-answers https://collector.example/studies/survey")).toBe("heroin"); // not this device's
    await new Device().optOut();
    for (const storage of [localStorage, sessionStorage]) expect(Object.keys(storage).filter((key) => key !== "sottovoce")).toEqual(["sottovoce-language"]);
  });

  it("leave a busy collector alone for as long as it asks, between calls too", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const study = await load("choices");
    const device = new Device({ storage: new Memory() });
    const reports = await device.prepare(study, answers("choices"));
    collector.turns = [{ status: 503, headers: { "Retry-After": "3600" } }];
    await expect(device.send(study, reports, { attempts: 1 })).rejects.toMatchObject({ kind: "line" });
    for (let k = 0; k < 5; k += 1) expect(await device.flush({ attempts: 1 })).toBe(0);
    expect(collector.bodies).toHaveLength(1);
    vi.setSystemTime(Date.now() + 3_600_000);
    expect(await device.flush({ attempts: 1 })).toBe(1);
    expect(collector.bodies).toHaveLength(2);
  });

  it("keep few drawn forms of studies that change, and a hundred in all", async () => {
    const [study, storage] = [await load("choices"), new Memory()];
    const drawn = () => (JSON.parse(storage.text()) as { drawn: { study: string; url: string }[] }).drawn;
    const version = (k: number, url: string) => ({ ...study, fingerprint: k.toString(16).padStart(64, "0"), url });
    for (let k = 0; k < 20; k += 1) await new Device({ storage }).asked(version(k, study.url));
    expect(drawn().map((each) => parseInt(each.study, 16))).toEqual([18, 19]);
    for (let k = 0; k < 120; k += 1) await new Device({ storage }).asked(version(k + 100, `${study.url}-${k}`));
    expect(drawn()).toHaveLength(100);
    expect(drawn().at(-1)!.url).toBe(`${study.url}-119`);
  });
});
