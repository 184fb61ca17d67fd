/** The device: it counts, keeps what was drawn, waits, and gives no more than was promised. The collector is a real server that misbehaves. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { Device, type Item, loadStudy, perturb, price, readStudy, type Study, submit } from "../src/index.js";
import { collecting, collector, compiled } from "./server.js";
import { files, Memory } from "./support.js";

/** A study of a compiled form with something changed, under a fingerprint that fits. */
async function altered(form: Record<string, any>, change: (own: Record<string, any>) => void, name: string): Promise<Study> {
  const { fingerprint: _, promise, ...own } = structuredClone(form);
  change(own);
  const sorted = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(sorted) : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)])) : value;
  const fingerprint = createHash("sha256").update(JSON.stringify(sorted(own))).digest("hex");
  return readStudy({ ...own, promise, fingerprint }, `${collector.url}${name}`);
}

/** A study with other tags. */
const renamed = (form: Record<string, any>, tags: string[]): Promise<Study> => altered(form, (own) => (own["blocks"][0].privacy.tags = tags), "tags");

/** One question under many names. */
const named = (kind: string, count: number): Promise<Study[]> =>
  Promise.all(Array.from({ length: count }, (_, k) => altered(JSON.parse(compiled(kind)), (own) => (own["name"] = `name-${k}`), `name-${k}`)));

collecting();

const load = (kind: string): Promise<Study> => loadStudy(`${collector.url}${kind}`);

describe("perturb", () => {
  it("makes a report of the study, with an identifier of its own", async () => {
    const study = await load("ldp");
    const [one, two] = [perturb(study, "flu"), perturb(study, "flu")];
    expect(one.study).toBe(study.fingerprint);
    expect(one.id).toMatch(/^[0-9a-f]{32}$/);
    expect(one.id).not.toBe(two.id);
    expect(Object.keys(one).sort()).toEqual(["id", "report", "study"]);
  });

  it.each<[string, Item, number]>([
    ["ldp", "flu", 3],
    ["ldp", 3, 3],
    ["years", 2025, 1],
    ["years", "2025", 1],
    ["axes", "m / middle", 4],
    ["axes", " m/middle ", 4],
    ["axes", ["m", "middle"], 4],
    ["axes", { age: "middle", sex: "m" }, 4],
    ["grid", [1, 2], 7],
    ["grid", { latitude: 40.73, longitude: -73.98 }, 7],
    ["grid", { latitude: 40.8, longitude: -73.92 }, 19],
    ["integers", 29, 29],
    ["unicode", "日本", 2],
  ])("knows the items of %s: %j", async (kind, item, code) => {
    expect((await load(kind)).domain.code(item)).toBe(code);
  });

  it.each<[string, unknown]>([
    ["ldp", "plague"],
    ["ldp", 5],
    ["ldp", -1],
    ["ldp", 1.5],
    ["ldp", null],
    ["ldp", undefined],
    ["ldp", Number.NaN],
    ["years", 3],
    ["axes", ["m"]],
    ["axes", { sex: "m" }],
    ["grid", { latitude: 41, longitude: -74 }],
    ["grid", [4, 0]],
  ])("refuses what is no item of %s: %j", async (kind, item) => {
    const study = await load(kind);
    expect(() => perturb(study, item as Item)).toThrow(expect.objectContaining({ kind: "domain" }));
  });

  it("asks for a level where there are some, and writes it into the report", async () => {
    const study = await load("levels");
    expect(() => perturb(study, "flu")).toThrow(/careful, usual, open/);
    expect(perturb(study, "flu", { level: "open" })).toMatchObject({ level: "open", report: 3 });
  });

  it("refuses to work without WebCrypto", async () => {
    const study = await load("ldp");
    const kept = Object.getOwnPropertyDescriptor(globalThis, "crypto")!;
    try {
      for (const value of [undefined, {}, { getRandomValues: undefined }]) {
        Object.defineProperty(globalThis, "crypto", { configurable: true, value });
        expect(() => perturb(study, "flu")).toThrow(expect.objectContaining({ kind: "source" }));
        expect(() => perturb(study, "flu", { source: { word: () => 0n } })).toThrow(expect.objectContaining({ kind: "source" }));
        await expect(readStudy(compiled("ldp"))).rejects.toMatchObject({ kind: "source" });
      }
    } finally {
      Object.defineProperty(globalThis, "crypto", kept);
    }
  });

  it("sends a marked item through its tag's input, and refuses unknown tags and double marks", async () => {
    const study = await load("tags-and-levels");
    const seen: number[] = [];
    const watched: Study = { ...study, blocks: study.blocks.map((block) => ({ ...block, channel: { ...block.channel, draw: (item, source) => (seen.push(item), block.channel.draw(item, source)) } })) };
    perturb(watched, "flu", { level: "usual", marks: { mine: ["flu"] } });
    perturb(watched, "none", { level: "usual", marks: { mine: ["flu"] } });
    expect(seen).toEqual([5, 4]);
    expect(() => perturb(study, "flu", { level: "usual", marks: { work: ["flu"] } })).toThrow(/not a tag/);
    const places = await load("tags");
    expect(() => perturb(places, [0, 0], { marks: { home: [[0, 0]], work: ["0 / 0"] } })).toThrow(/two tags/);
  });
});

describe("submit", () => {
  it("sends the same bytes until they are acknowledged", async () => {
    collector.turns = ["hang up", { status: 503, headers: { "retry-after": "0" } }, 500, 200];
    const report = perturb(await load("ldp"), "flu");
    expect(await submit(report)).toEqual({ accepted: 1, repeated: 0 });
    expect(collector.bodies).toHaveLength(4);
    expect(new Set(collector.bodies)).toEqual(new Set([JSON.stringify(report)]));
  });

  it("gives up a line that stays dead, and says that the same can be sent again", async () => {
    collector.turns = ["hang up", "hang up"];
    const report = perturb(await load("ldp"), "flu");
    await expect(submit(report, { attempts: 2 })).rejects.toMatchObject({ kind: "line" });
    expect(await submit(report)).toEqual({ accepted: 1, repeated: 0 });
    expect(await submit(report)).toEqual({ accepted: 0, repeated: 1 });
  });

  it.each([400, 401, 403, 404, 409, 413, 422])("does not insist where the collector refuses: %i", async (status) => {
    collector.turns = [{ status, body: JSON.stringify({ detail: "the study is closed", remedy: "Ask those who run the study." }) }];
    const report = perturb(await load("ldp"), "flu");
    await expect(submit(report)).rejects.toMatchObject({ kind: "refused", status, message: expect.stringContaining("the study is closed") as string });
    expect(collector.bodies).toHaveLength(1);
  });

  it.each(["{}", "null", "0", '"login"', "[]", '{"accepted":0,"repeated":0}', '{"accepted":1,"repeated":5}', '{"accepted":2,"repeated":-1}', '{"accepted":0.5,"repeated":0.5}', '{"accepted":true,"repeated":0}', "<html>Log in</html>", ""])(
    "does not take %s for an acknowledgement",
    async (body) => {
      collector.turns = [{ status: 200, body }];
      const report = perturb(await load("ldp"), "flu");
      await expect(submit(report, { attempts: 1 })).rejects.toMatchObject({ kind: "line" });
      expect(await submit(report)).toMatchObject({ accepted: 0, repeated: 1 });
    },
  );

  it("does not wait for ever", async () => {
    collector.turns = ["say nothing", 200];
    const report = perturb(await load("ldp"), "flu");
    expect(await submit(report, { timeout: 200 })).toEqual({ accepted: 1, repeated: 0 });
    collector.turns = ["say nothing"];
    await expect(submit(report, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: "TimeoutError" });
    collector.turns = [{ status: 503, headers: { "retry-after": "60" } }];
    await expect(submit(report, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ name: "TimeoutError" }); // also while it waits
    expect(collector.turns).toEqual([]);
  });

  it("finds the place of the reports from any way of writing the study's address", async () => {
    const report = perturb(await readStudy(compiled("ldp")), "flu");
    for (const address of [`${collector.url}ldp`, `${collector.url}ldp/`, `${collector.url}ldp?x=1`, `${collector.url}ldp/#y`]) await submit(report, { url: address });
    expect(new Set(collector.paths)).toEqual(new Set(["/studies/ldp/reports"]));
  });

  it("needs an address", async () => {
    const report = perturb(await readStudy(compiled("ldp")), "flu");
    await expect(submit(report)).rejects.toMatchObject({ kind: "report" });
    expect(await submit(JSON.parse(JSON.stringify(report)), { url: `${collector.url}ldp` })).toEqual({ accepted: 1, repeated: 0 });
  });

  it("does not take for a dead line what can never be sent", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    const device = new Device({ storage });
    const reports = await device.prepare(study, "flu");
    await expect(device.send(study, reports, { ticket: "abc\u200b" })).rejects.toMatchObject({ kind: "refused" });
    expect(device.status(study).state).toBe("refused");
    expect(await device.send(study, reports, { ticket: "abc" })).toEqual({ accepted: 1, repeated: 0 });
    await expect(device.send(study, reports, { ticket: "another" })).rejects.toMatchObject({ kind: "ledger" });
    expect(storage.text()).not.toMatch(/abc|another/);
  });

  it("shows a ticket", async () => {
    await submit(perturb(await load("ldp"), "flu"), { ticket: "abc" });
    expect(collector.tickets).toEqual(["Ticket abc"]);
  });
});

describe("a device", () => {
  it("draws once for an answer, however often it is asked", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    const first = await new Device({ storage }).prepare(study, "flu");
    await new Device({ storage }).prepare(study, "none"); // a thought that is given up
    expect(await new Device({ storage }).prepare(study, "flu")).toEqual(first);
    expect(collector.bodies).toEqual([]);
  });

  it("gives one answer, and refuses another", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    const device = new Device({ storage });
    const other = await device.prepare(study, "none");
    const reports = await device.prepare(study, "flu");
    expect(device.status(study).state).toBe("none");
    expect(await device.send(study, reports)).toEqual({ accepted: 1, repeated: 0 });
    expect(device.status(study)).toMatchObject({ state: "sent", reports: [], day: new Date().toISOString().slice(0, 10) });
    for (const item of ["flu", "none"]) await expect(new Device({ storage }).prepare(study, item)).rejects.toMatchObject({ kind: "ledger" });
    for (const each of [reports, other, []]) await expect(device.send(study, each)).rejects.toMatchObject({ kind: "ledger" });
    expect(collector.bodies).toHaveLength(1);
  });

  it("counts once when it is told to send twice at the same time", async () => {
    const study = await load("ldp");
    const device = new Device({ storage: new Memory() });
    const reports = await device.prepare(study, "flu");
    const receipts = await Promise.all([device.send(study, reports), device.send(study, reports), device.send(study, reports)]);
    expect(receipts.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1);
  });

  it("gives all reports that a study asks for, in one request", async () => {
    const study = await load("three-reports");
    const device = new Device({ storage: new Memory() });
    const reports = await device.prepare(study, "flu");
    expect(new Set(reports.map(({ id }) => id)).size).toBe(3);
    expect(await device.send(study, reports)).toEqual({ accepted: 3, repeated: 0 });
    expect(collector.bodies).toHaveLength(1);
  });

  it("treats another level like another answer", async () => {
    const study = await load("levels");
    const device = new Device({ storage: new Memory() });
    await device.send(study, await device.prepare(study, "flu", { level: "careful" }));
    await expect(device.prepare(study, "flu", { level: "usual" })).rejects.toMatchObject({ kind: "ledger" });
  });

  it("keeps what it could not send, and sends it later, once", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    collector.turns = ["hang up"];
    const device = new Device({ storage });
    const reports = await device.prepare(study, "flu");
    await expect(device.send(study, reports, { attempts: 1, ticket: "secret" })).rejects.toMatchObject({ kind: "line" });
    expect(device.status(study).state).toBe("waiting");
    for (const item of ["flu", "none"]) await expect(device.prepare(study, item)).rejects.toMatchObject({ kind: "ledger" });
    expect(device.status(study).reports).toEqual(reports);
    const later = new Device({ storage });
    expect(await later.flush()).toBe(1);
    expect(await later.flush()).toBe(0);
    expect(later.status(study).state).toBe("sent");
    expect(collector.tickets).toEqual(["Ticket secret", "Ticket secret"]);
    expect(storage.text()).not.toContain("secret");
    expect(collector.ids.size).toBe(1);
  });

  it("remembers a refusal, and tries again when it is told to, with the same report", async () => {
    const study = await load("ldp");
    collector.turns = [{ status: 401, body: JSON.stringify({ detail: "the study asks for a ticket" }) }];
    const device = new Device({ storage: new Memory() });
    const reports = await device.prepare(study, "flu");
    await expect(device.send(study, reports)).rejects.toMatchObject({ kind: "refused" });
    expect(device.status(study)).toMatchObject({ state: "refused", reason: expect.stringContaining("ticket") as string });
    expect(await device.flush()).toBe(0);
    expect(await device.send(study, reports, { ticket: "abc" })).toEqual({ accepted: 1, repeated: 0 });
    expect(new Set(collector.bodies).size).toBe(1);
  });

  it("keeps neither the answer nor its report nor marks once it is acknowledged", async () => {
    const [study, storage] = [await load("tags"), new Memory()];
    const device = new Device({ storage });
    await device.mark(study, [2, 2], "home");
    await device.prepare(study, [1, 1]);
    const reports = await device.prepare(study, [2, 2]);
    collector.turns = ["hang up"];
    await expect(device.send(study, reports, { attempts: 1 })).rejects.toMatchObject({ kind: "line" });
    expect(storage.text()).not.toMatch(/home|2 \/ 2|"key"/); // while it waits, there is the report alone
    expect(storage.text()).toContain(reports[0]!.id);
    expect(await device.flush()).toBe(1);
    expect(JSON.parse(storage.text())).toEqual({
      lines: { [study.fingerprint]: { url: study.url, state: "sent", day: device.status(study).day, spent: price(study), reports: [] } },
      drafts: [],
      marks: {},
    });
  });

  it("forgets drafts, marks and what waits, but not that it answered nor what that spent", async () => {
    const [study, storage] = [await load("tags"), new Memory()];
    const device = new Device({ storage });
    await device.mark(study, [2, 2], "home");
    await device.prepare(study, [2, 2]);
    await device.forget(study);
    expect(storage.text()).not.toMatch(/home|2 \/ 2|"report"/);
    expect(device.spent()).toEqual({ epsilon: 0, shown: 0 });
    collector.turns = ["hang up"];
    await expect(device.send(study, await device.prepare(study, [2, 2]), { attempts: 1, ticket: "T" })).rejects.toMatchObject({ kind: "line" });
    await device.forget(study);
    expect(storage.text()).not.toMatch(/"report":|"ticket"/);
    expect(device.status(study)).toMatchObject({ state: "removed", reports: [] });
    expect(device.spent()).toEqual(price(study));
    expect(await device.flush()).toBe(0);
    await expect(device.prepare(study, [2, 2])).rejects.toMatchObject({ kind: "ledger" });
  });

  it("reads the ledger of the version before, and cleans it up", async () => {
    const [study, other, storage] = [await load("ldp"), await load("tags"), new Memory()];
    const [report] = [perturb(study, "flu")];
    const lines = {
      [study.fingerprint]: { url: study.url, state: "sent", drafts: {}, given: "/3", reports: [report] },
      [other.fingerprint]: { url: other.url, state: "none", drafts: { "/5": [perturb(other, 5)] }, reports: [] },
      waits: { url: `${collector.url}waits`, state: "waiting", drafts: {}, given: "/1", reports: [perturb(study, "none")], ticket: "T" },
    };
    const marks = { [study.url]: [["flu", "mine"]], [other.url]: [["0 / 0", "home"]] };
    storage.kept.set("sottovoce", JSON.stringify({ lines, marks }));
    const device = new Device({ storage });
    await device.ready;
    expect(storage.text()).not.toMatch(/"given"|"drafts":\{|"\/\d"|"flu"/);
    expect(storage.text()).not.toContain(report!.id);
    expect(device.status(study)).toMatchObject({ state: "sent", reports: [] });
    expect(device.marks(other)).toEqual({ home: ["0 / 0"], work: [] });
    expect(device.spent()).toEqual({ epsilon: 0, shown: 2 }); // what they spent wasn't written down
    await expect(device.prepare(study, "flu")).rejects.toMatchObject({ kind: "ledger" });
    expect(await device.flush()).toBe(1);
    expect(collector.tickets).toEqual(["Ticket T"]);
  });

  it("counts an answer to an earlier version of the study at the same address", async () => {
    const storage = new Memory();
    const before = await readStudy(compiled("ldp"), `${collector.url}clinic`);
    const after = await readStudy(compiled("uldp"), `${collector.url}clinic`);
    const device = new Device({ storage });
    await device.send(before, await device.prepare(before, "flu"));
    await expect(device.prepare(after, "flu")).rejects.toMatchObject({ kind: "ledger", message: expect.stringContaining("changed") as string });
    const elsewhere = await readStudy(compiled("ldp"), `${collector.url}mirror`);
    await expect(device.prepare(elsewhere, "flu")).rejects.toMatchObject({ kind: "ledger" });
    expect(device.status(after)).toMatchObject({ state: "sent", reports: [], changed: true });
    await device.forget(after);
    expect(storage.text()).not.toContain('"report"');
    await expect(device.prepare(after, "flu")).rejects.toMatchObject({ kind: "ledger" });
  });

  it("forgets what was looked at in earlier versions, too", async () => {
    const storage = new Memory();
    const device = new Device({ storage });
    const before = await readStudy(compiled("ldp"), `${collector.url}clinic`);
    const after = await readStudy(compiled("uldp"), `${collector.url}clinic`);
    await device.prepare(before, "hiv");
    await device.send(after, await device.prepare(after, "flu"));
    await device.forget(after);
    expect(storage.text()).not.toMatch(/"report"|"\/0"|"\/3"/);
    expect(device.status(after)).toMatchObject({ state: "sent", reports: [] });
  });

  it("knows that it answered, even if its storage is cleared while it sends", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    const device = new Device({ storage, fetch: async (...request) => (storage.kept.clear(), fetch(...request)) });
    await device.send(study, await device.prepare(study, "flu"));
    expect(device.status(study).state).toBe("sent");
    await expect(device.prepare(study, "none")).rejects.toMatchObject({ kind: "ledger" });
  });

  it("sends what waits for a study that was changed meanwhile", async () => {
    const storage = new Memory();
    const before = await readStudy(compiled("ldp"), `${collector.url}clinic?v=1`);
    const after = await readStudy(compiled("uldp"), `${collector.url}clinic/`);
    const device = new Device({ storage });
    collector.turns = ["hang up"];
    await expect(device.send(before, await device.prepare(before, "flu"), { attempts: 1 })).rejects.toMatchObject({ kind: "line" });
    expect(device.status(after)).toMatchObject({ state: "waiting", changed: true });
    expect(await device.flush()).toBe(1);
    expect(device.status(after).state).toBe("sent");
  });

  it("knows that it was acknowledged, also where another attempt is refused later", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    const device = new Device({ storage });
    const reports = await device.prepare(study, "flu");
    collector.turns = [200, { status: 409, body: JSON.stringify({ detail: "the study is closed" }) }];
    const settled = await Promise.allSettled([device.send(study, reports), device.send(study, reports)]);
    expect(settled.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(device.status(study).state).toBe("sent");
    expect(storage.text()).not.toContain(reports[0]!.id);
  });

  it("sends later to an address that was given with the answer", async () => {
    const [study, storage] = [await readStudy(compiled("ldp")), new Memory()];
    collector.turns = ["hang up"];
    const device = new Device({ storage });
    await expect(device.send(study, await device.prepare(study, "flu"), { attempts: 1, url: `${collector.url}ldp`, ticket: "T" })).rejects.toMatchObject({ kind: "line" });
    expect(await device.flush()).toBe(1);
    expect(collector.tickets).toEqual(["Ticket T", "Ticket T"]);
  });

  it("keeps marks under tags with any name, and leaves out those that a changed study does not know", async () => {
    const form = JSON.parse(compiled("tags"));
    const strange = await renamed(form, ["__proto__", "constructor"]);
    const device = new Device({ storage: new Memory() });
    await device.mark(strange, [0, 1], "__proto__");
    await device.mark(strange, [0, 2], "constructor");
    expect(Object.entries(device.marks(strange))).toEqual([
      ["__proto__", ["0 / 1"]],
      ["constructor", ["0 / 2"]],
    ]);
    await device.prepare(strange, [0, 1]);
    const changed = await renamed(form, ["home", "constructor"]);
    expect(device.marks(changed)).toEqual({ home: [], constructor: ["0 / 2"] });
    await device.prepare(changed, [0, 1]);
  });

  it("says so where its ledger cannot be read", async () => {
    const study = await load("ldp");
    const broken = ['{"lines":[]}', '{"lines":{"a":{"state":"sent","reports":[],"spent":{"epsilon":-3,"shown":0}}}}', '{"lines":{"a":{"state":"sent","reports":[],"spent":{"epsilon":null,"shown":0}}}}'];
    for (const kept of ["{", "null", "7", '"x"', "{}", ...broken, '{"lines":{"a":null}}', '{"lines":{"a":{"state":"sent"}}}']) {
      const storage = new Memory();
      storage.kept.set("sottovoce", kept);
      const tried = new Device({ storage }).prepare(study, "flu");
      await expect(tried).rejects.toMatchObject({ kind: "ledger" });
      expect(storage.kept.get("sottovoce")).toBe(kept); // and it is not begun anew
    }
  });

  it("keeps the person's marks, changes them, and never sends them", async () => {
    const [study, storage] = [await load("tags"), new Memory()];
    const device = new Device({ storage });
    await device.mark(study, [0, 1], "home");
    await device.mark(study, [3, 3], "work");
    await device.mark(study, [3, 3], "home");
    expect(new Device({ storage }).marks(study)).toEqual({ home: ["0 / 1", "3 / 3"], work: [] });
    await device.mark(study, [0, 1], null);
    expect(device.marks(study)).toEqual({ home: ["3 / 3"], work: [] });
    await expect(device.mark(study, [0, 1], "school")).rejects.toMatchObject({ kind: "domain" });
    await device.send(study, await device.prepare(study, [3, 3]));
    expect(collector.bodies.join()).not.toMatch(/home|3 \/ 3/);
  });

  it("draws anew for a marked item, whose input is another", async () => {
    const study = await load("tags");
    const device = new Device({ storage: new Memory() });
    const open = await device.prepare(study, [0, 0]);
    await device.mark(study, [0, 0], "home");
    expect(await device.prepare(study, [0, 0])).not.toEqual(open);
    await device.mark(study, [0, 0], null);
    expect(await device.prepare(study, [0, 0])).toEqual(open);
  });

  it("writes nothing where something fails", async () => {
    const [study, storage] = [await load("ldp"), new Memory()];
    await expect(new Device({ storage }).prepare(study, "plague")).rejects.toMatchObject({ kind: "domain" });
    expect(storage.kept.size).toBe(0);
    const full = { getItem: storage.getItem, setItem: () => { throw new Error("the quota is exceeded"); } };
    await expect(new Device({ storage: full }).prepare(study, "flu")).rejects.toThrow("quota");
  });

  it("refuses to work where nothing can be kept", () => {
    expect(() => new Device()).toThrow(expect.objectContaining({ kind: "ledger" }));
  });
});

describe("loadStudy", () => {
  it("says why a study cannot be had", async () => {
    await expect(loadStudy("http://127.0.0.1:9/studies/x")).rejects.toMatchObject({ kind: "line" });
    collector.server.removeAllListeners("request");
    collector.server.on("request", (_: IncomingMessage, response: ServerResponse) => {
      response.writeHead(404);
      response.end(JSON.stringify({ detail: "there is no study of this name here", remedy: "Read /studies." }));
    });
    await expect(load("x")).rejects.toMatchObject({ kind: "refused", status: 404, message: "there is no study of this name here. Read /studies." });
  });
});

describe("what a device gives in all", () => {
  it.each<[string, string | undefined, number, number]>([
    ["ldp", undefined, 1, 0],
    ["uldp", undefined, 1, 1],
    ["tags", undefined, 1, 1],
    ["three-reports", undefined, 1, 0],
    ["levels", "careful", 0.5, 1],
    ["levels", "usual", 2, 1],
    ["levels", "open", 0, 1],
    ["ipldp", undefined, 1, 1],
    ["item_uldp", undefined, 1.5, 1],
    ["minid", undefined, 0.5, 0],
    ["lip", undefined, 2, 0],
    ["lh_lip", undefined, 2, 0],
  ])("prices %s (level %s) at %d", async (kind, level, epsilon, shown) => {
    expect(price(await load(kind), level === undefined ? {} : { level })).toEqual({ epsilon, shown });
  });

  it("never counts less than the tables give away", async () => {
    for (const file of files("studies")) {
      const study = await load(file.replace(".json", ""));
      for (const { level, channel, promised } of study.blocks) {
        const { epsilon, shown } = price(study, { level });
        const inputs = Array.from({ length: channel.size }, (_, input) => input).slice(0, 40);
        const worst = Math.max(...inputs.flatMap((a) => inputs.map((b) => (a === b ? 0 : Math.log(Number(channel.pair(a, b)[0]) / Number(channel.pair(a, b)[1]))))));
        expect(epsilon).toBeGreaterThanOrEqual(study.reports * worst - 1e-9);
        expect(shown).toBe(inputs.some((input) => channel.reveals(input)) ? 1 : 0);
        const claimed = promised ? Math.max(promised.epsilon, ...(promised.budgets ?? []).map((each) => each ?? 0)) : 0;
        expect(epsilon).toBeLessThanOrEqual((promised?.notion === "lip" ? 2 : 1) * (Math.ceil(claimed * 1000) / 1000));
      }
    }
  });

  it("adds up over studies, shows the sum, and refuses before anything is drawn", async () => {
    const storage = new Memory();
    const drawn: unknown[] = [];
    const source = { word: () => (drawn.push(0), 1n << 40n) };
    const device = new Device({ storage, source, cap: 3 });
    for (const kind of ["ldp", "lip"]) {
      const study = await load(kind);
      await device.send(study, await device.prepare(study, study.domain.text(0)));
    }
    expect(device.spent()).toEqual({ epsilon: 3, shown: 0 });
    drawn.length = 0;
    const next = await load("uldp");
    await expect(device.prepare(next, "flu")).rejects.toMatchObject({ kind: "ledger", message: expect.stringContaining("3 of at most 3") as string });
    expect(drawn).toEqual([]);
    expect(device.status(next).state).toBe("none");
    expect(await new Device({ storage, cap: 4 }).prepare(next, "flu")).toHaveLength(1);
  });

  it("checks the cap again when it commits: several drafts may be open", async () => {
    const studies = await named("ldp", 12);
    const device = new Device({ storage: new Memory() });
    const drafts = await Promise.all(studies.map((study) => device.prepare(study, "flu")));
    const done = await Promise.allSettled(studies.map((study, k) => device.send(study, drafts[k]!)));
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    expect(collector.bodies).toHaveLength(8);
    expect(device.spent()).toEqual({ epsilon: 8, shown: 0 });
  });

  it("adds thousandths exactly", async () => {
    const careful = (await load("levels")).blocks[0]!.level;
    const studies = await named("levels", 6);
    const device = new Device({ storage: new Memory(), cap: 2.5 });
    for (const study of studies.slice(0, 5)) await device.send(study, await device.prepare(study, "flu", { level: careful }));
    expect(device.spent().epsilon).toBe(2.5);
    await expect(device.prepare(studies[5]!, "flu", { level: careful })).rejects.toMatchObject({ kind: "ledger" });
  });

  it.each([{ cap: "8" }, { cap: Number.NaN }, { cap: Infinity }, { cap: 0 }, { cap: -1 }, { maxWaiting: 0 }, { maxWaiting: "100" }, { maxBytes: Number.NaN }, { maxBytes: 0.5 }, { maxDays: -1 }])(
    "has limits that are numbers: not %j",
    (options) => {
      expect(() => new Device({ storage: new Memory(), ...(options as object) })).toThrow(new RegExp(`^${Object.keys(options)[0]} must be a`));
    },
  );

  it("gives no more than the cap to one question under 30 names, and the answer no more often than 8 reports give it away", async () => {
    const studies = await named("ldp", 30);
    const [items, devices] = [studies[0]!.domain.size, 300];
    let found = 0;
    for (let k = 0; k < devices; k += 1) {
      const device = new Device({ storage: new Memory() });
      const truth = k % items;
      collector.bodies = [];
      for (const study of studies)
        await device.prepare(study, study.domain.text(truth)).then(
          (reports) => device.send(study, reports),
          () => undefined,
        );
      expect(collector.bodies).toHaveLength(8);
      const counts = Array.from({ length: items }, () => 0);
      for (const body of collector.bodies) counts[(JSON.parse(body) as { report: number }).report]! += 1;
      const most = Math.max(...counts);
      if (counts[truth] === most) found += 1 / counts.filter((count) => count === most).length; // ties: the attacker guesses
    }
    const expected = foundOf8(items, 1);
    const error = Math.sqrt((expected * (1 - expected)) / devices);
    expect(Math.abs(found / devices - expected)).toBeLessThan(5 * error); // wrong once in a million
  }, 60_000);
});

/** How often the most frequent of 8 reports of k-RR is the answer: over all ways to spread 8 reports over the items. */
function foundOf8(items: number, epsilon: number): number {
  const odds = Math.exp(epsilon);
  const [own, other] = [odds / (odds + items - 1), 1 / (odds + items - 1)];
  const factorial = (n: number): number => (n < 2 ? 1 : n * factorial(n - 1));
  const spread = (left: number, places: number): number[][] =>
    places === 1 ? [[left]] : Array.from({ length: left + 1 }, (_, n) => spread(left - n, places - 1).map((rest) => [n, ...rest])).flat();
  return spread(8, items).reduce((sum, counts) => {
    const most = Math.max(...counts);
    const chance = (factorial(8) / counts.reduce((product, n) => product * factorial(n), 1)) * own ** counts[0]! * other ** (8 - counts[0]!);
    return sum + (counts[0] === most ? chance / counts.filter((n) => n === most).length : 0);
  }, 0);
}
