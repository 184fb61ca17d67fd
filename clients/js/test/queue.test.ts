/** What waits on a device: how much, how long, how it is tried again, and how people end it. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Answers, Device, loadQuestionnaire, loadStudy, perturb, price, type Study, submit } from "../src/index.js";
import { collecting, collector } from "./server.js";
import { Memory, read } from "./support.js";

collecting();
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const dead: typeof fetch = () => Promise.reject(new Error("no line"));
const load = (kind: string): Promise<Study> => loadStudy(`${collector.url}${kind}`);
const answers = (kind: string): Answers => read(`questionnaires/${kind}.json`).people[0].answers;

/** Give an answer that can't be sent. */
async function leave(device: Device, study: Study): Promise<void> {
  const reports = await device.prepare(study, study.domain.text(0));
  await device.send(study, reports, { attempts: 1, fetch: dead }).catch(() => undefined);
}

/** A loaded machine may take its time. */
const PATIENT = { timeout: 30_000 };

describe("what waits", () => {
  it("is removed for newer answers if there are too many studies, and what was spent stays", async () => {
    const [storage, studies] = [new Memory(), await Promise.all(["ldp", "years", "scale"].map(load))];
    const device = new Device({ storage, maxWaiting: 2 });
    for (const study of studies) await leave(device, study);
    expect(studies.map((study) => device.status(study).state)).toEqual(["removed", "waiting", "waiting"]);
    expect(device.status(studies[0]!)).toMatchObject({ reports: [], reason: "Too much waited to be sent." });
    expect(device.spent().epsilon).toBe(studies.reduce((sum, study) => sum + price(study).epsilon, 0));
    expect(await device.flush()).toBe(2);
    await expect(device.prepare(studies[0]!, "hiv")).rejects.toMatchObject({ kind: "ledger" });
  });

  it("is removed for newer answers if it is too large", async () => {
    const studies = await Promise.all(["integers", "ldp"].map(load));
    const device = new Device({ storage: new Memory(), maxBytes: 260 });
    for (const study of studies) await leave(device, study);
    expect(studies.map((study) => device.status(study).state)).toEqual(["removed", "waiting"]);
  });

  it("is not even drawn if it could never wait", async () => {
    const device = new Device({ storage: new Memory(), maxBytes: 50 });
    await expect(device.prepare(await load("ldp"), "flu")).rejects.toMatchObject({ kind: "ledger", message: expect.stringContaining("too large") as string });
    expect(device.spent()).toEqual({ epsilon: 0, shown: 0 });
  });

  it("is removed after so many days, and says so", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(new Date("2027-01-01T12:00:00Z"));
    const [study, storage] = [await load("ldp"), new Memory()];
    await leave(new Device({ storage, maxDays: 7 }), study);
    vi.setSystemTime(new Date("2027-01-08T23:00:00Z"));
    expect(new Device({ storage, maxDays: 7 }).status(study).state).toBe("waiting");
    vi.setSystemTime(new Date("2027-01-09T00:00:00Z"));
    const later = new Device({ storage, maxDays: 7 });
    expect(later.status(study)).toMatchObject({ state: "removed", reports: [], reason: "It waited for more than 7 days." });
    expect(await later.flush()).toBe(0);
    expect(later.spent()).toEqual(price(study));
    await later.ready;
    expect(storage.text()).not.toContain('"report"');
  });

  it("isn't sent to a study that has closed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(new Date("2027-03-31T12:00:00Z"));
    const [loaded, storage] = [await loadQuestionnaire(`${collector.url}questionnaires/extras`), new Memory()];
    const study = { ...loaded, dates: { closes: "2027-03-31" } };
    const device = new Device({ storage });
    await device.send(study, await device.prepare(study, answers("extras")), { attempts: 1, fetch: dead }).catch(() => undefined);
    expect(device.status(study).state).toBe("waiting");
    vi.setSystemTime(new Date("2027-04-01T00:00:00Z"));
    expect(await device.flush()).toBe(0);
    expect(device.status(study)).toMatchObject({ state: "removed", reason: "The study closed on 2027-03-31." });
    expect(collector.bodies).toEqual([]);
    expect(device.spent()).toEqual(price(study));
  });

  it("keeps a refusal that is old without its reports", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const [study, storage] = [await load("ldp"), new Memory()];
    const device = new Device({ storage });
    collector.turns = [403];
    await expect(device.send(study, await device.prepare(study, "flu"))).rejects.toMatchObject({ kind: "refused" });
    vi.setSystemTime(Date.now() + 40 * 864e5);
    expect(device.status(study)).toMatchObject({ state: "refused", reports: [] });
  });

  it("is acknowledged, even if it was removed while it was sent", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    const device = new Device({ storage, fetch: async (...request) => (await device.forget(study), fetch(...request)) });
    await device.send(study, await device.prepare(study, "flu"));
    expect(device.status(study).state).toBe("sent");
    const other = await load("years");
    collector.turns = [403];
    const refused = new Device({ storage, fetch: async (...request) => (await refused.forget(other), fetch(...request)) });
    await expect(refused.send(other, await refused.prepare(other, 2025))).rejects.toMatchObject({ kind: "refused" });
    expect(refused.status(other).state).toBe("removed");
  });
});

describe("trying again", () => {
  /** The pauses of a submission, in seconds, which are not really waited for. */
  async function pauses(answer: () => Response, random: number): Promise<number[]> {
    const waited: number[] = [];
    const report = perturb(await load("ldp"), "flu");
    vi.spyOn(Math, "random").mockReturnValue(random);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, time: number) => {
      if (time !== 9) {
        waited.push(time / 1000);
        queueMicrotask(act);
      }
      return 0;
    }) as unknown as typeof setTimeout);
    await submit(report, { attempts: 8, timeout: 9, fetch: () => Promise.resolve(answer()) }).catch(() => undefined);
    return waited;
  }

  it("waits twice as long each time, up to half a minute, and a random part of that", async () => {
    expect(await pauses(() => new Response("", { status: 503 }), 1)).toEqual([1, 2, 4, 8, 16, 30, 30]);
    vi.restoreAllMocks();
    expect(await pauses(() => new Response("", { status: 503 }), 0.25)).toEqual([0.25, 0.5, 1, 2, 4, 7.5, 7.5]);
    vi.restoreAllMocks();
    expect(await pauses(() => Response.error(), 0)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it("waits at least as long as the collector asks for, up to a minute", async () => {
    const after = (value: string) => () => new Response("", { status: 429, headers: { "Retry-After": value } });
    expect((await pauses(after("7"), 0))[0]).toBe(7);
    vi.restoreAllMocks();
    expect((await pauses(after("7"), 1)).slice(0, 2)).toEqual([8, 9]);
    vi.restoreAllMocks();
    expect((await pauses(after("86400"), 0))[0]).toBe(60);
    vi.restoreAllMocks();
    expect((await pauses(after(new Date(Date.now() + 20_000).toUTCString()), 0))[0]).toSatisfy((seconds: number) => seconds > 15 && seconds <= 20);
    vi.restoreAllMocks();
    for (const value of ["soon", "-5", "Thu, 01 Jan 1970 00:00:00 GMT"]) {
      expect((await pauses(after(value), 0))[0]).toBe(0);
      vi.restoreAllMocks();
    }
  });
});

describe("a person who opts out", () => {
  it("is asked nothing, sends nothing, and leaves nothing but what was spent", async () => {
    const [storage, study, waits, tagged] = [new Memory(), await loadQuestionnaire(`${collector.url}questionnaires/choices`), await load("ldp"), await load("tags")];
    const device = new Device({ storage });
    await leave(device, waits);
    await device.mark(tagged, [1, 1], "home");
    const reports = await device.prepare(study, answers("choices"));
    expect(device.optedOut).toBe(false);
    await device.optOut();
    expect(device.optedOut).toBe(true);
    expect(new Device({ storage }).optedOut).toBe(true);
    expect(JSON.parse(storage.text())).toEqual({
      lines: { [waits.fingerprint]: { url: waits.url, state: "removed", reason: "This device has opted out.", day: device.status(waits).day, spent: price(waits), reports: [] } },
      out: true,
      drafts: [],
      marks: {},
    });
    expect(device.spent()).toEqual(price(waits));
    const tried = [device.asked(study), device.prepare(study, answers("choices")), device.prepare(tagged, [1, 1]), device.send(study, reports), device.mark(tagged, [1, 1], "home")];
    for (const each of tried) await expect(each).rejects.toMatchObject({ kind: "ledger", message: expect.stringContaining("opted out") as string });
    expect(await device.flush()).toBe(0);
    expect(collector.bodies).toEqual([]);
  });

  it("can take part again, with all that was spent", async () => {
    const [storage, waits, study] = [new Memory(), await load("ldp"), await load("years")];
    const device = new Device({ storage });
    await leave(device, waits);
    await device.optOut();
    await device.optIn();
    expect(device.optedOut).toBe(false);
    expect(device.spent()).toEqual(price(waits));
    await expect(device.prepare(waits, "flu")).rejects.toMatchObject({ kind: "ledger" });
    expect(await device.send(study, await device.prepare(study, 2025))).toEqual({ accepted: 1, repeated: 0 });
  });

  it("stops what another page tries again", async () => {
    const [storage, study] = [new Memory(), await load("ldp")];
    const device = new Device({ storage, fetch: async () => (await new Device({ storage }).optOut(), Promise.reject(new Error("no line"))) });
    vi.spyOn(Math, "random").mockReturnValue(0);
    await expect(device.send(study, await device.prepare(study, "flu"))).rejects.toMatchObject({ kind: "ledger", message: "This device has opted out." });
    expect(device.status(study).state).toBe("removed");
  });

  it("stops what is being sent", async () => {
    const [storage, study] = [new Memory(), await load("ldp")];
    const device = new Device({ storage });
    collector.turns = ["say nothing"];
    const sending = expect(device.send(study, await device.prepare(study, "flu"))).rejects.toMatchObject({ kind: "ledger", message: "This device has opted out." });
    await vi.waitFor(() => expect(collector.bodies).toHaveLength(1), PATIENT);
    await device.optOut();
    await sending;
    expect(device.status(study)).toMatchObject({ state: "removed", reports: [] });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(collector.bodies).toHaveLength(1);
  });
});

describe("watching the line", () => {
  const page = new EventTarget();
  let requests: RequestInit[];
  const counted: typeof fetch = (...[url, request]) => (requests.push(request!), fetch(url, request));
  beforeEach(() => {
    requests = [];
    vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  });

  it("sends what waits at once, and when the device is online again", async () => {
    const [storage, one, two] = [new Memory(), await load("ldp"), await load("years")];
    const device = new Device({ storage, fetch: counted });
    await leave(device, one);
    const stop = device.watch();
    await vi.waitFor(() => expect(device.status(one).state).toBe("sent"), PATIENT);
    await leave(device, two);
    page.dispatchEvent(new Event("online"));
    await vi.waitFor(() => expect(device.status(two).state).toBe("sent"), PATIENT);
    stop();
    expect(requests).toHaveLength(2);
    await leave(device, await load("scale"));
    page.dispatchEvent(new Event("online"));
    page.dispatchEvent(new Event("pagehide"));
    expect(requests).toHaveLength(2);
  });

  it("tries once when the page is left, with requests that outlive it, all of them before the page is gone", async () => {
    const [storage, studies] = [new Memory(), await Promise.all(["ldp", "years", "scale"].map(load))];
    const device = new Device({ storage, fetch: (...request) => (counted(...request).catch(() => undefined), dead("")) });
    for (const study of studies) await leave(device, study);
    const stop = device.watch();
    await vi.waitFor(() => expect(requests.length).toBeGreaterThanOrEqual(3), PATIENT);
    stop();
    const leaving = new Device({ storage, fetch: (...request) => (counted(...request).catch(() => undefined), dead("")) });
    requests = [];
    leaving.watch();
    requests = [];
    page.dispatchEvent(new Event("pagehide"));
    expect(requests).toHaveLength(3);
    expect(requests.every(({ keepalive }) => keepalive)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(studies.every((study) => leaving.status(study).state === "waiting")).toBe(true); // whether they arrived isn't known
    expect(new Set(collector.bodies).size).toBe(3);
  });
});
