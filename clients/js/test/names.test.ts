/** Names that objects have anyway, labels that people can't tell apart, and sizes that don't fit. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { answerTo, counting, shownTo } from "../pages/survey/asking.js";
import { axisName, creditWords } from "../pages/names.js";
import { answerName, called } from "../pages/survey/own.js";
import { Texts } from "../pages/texts.js";
import { applies, Device, readQuestionnaire, readStudy } from "../src/index.js";
import { fingerprintOf } from "../src/load.js";
import { questionOf } from "../src/questions.js";
import { Memory, read } from "./support.js";

const say = { studys: "de", language: "de", t: (key: string) => key } as unknown as Texts;

/** A question with labels in German. */
const labelled = (answers: object, labels: object, more: object = {}) =>
  questionOf({ name: "q", texts: { text: { en: "q", de: "q" } }, answers, weight: "1.0", labels, ...more }, false, [], ["en", "de"]);

describe("names that objects have anyway", () => {
  it("are names of questions", async () => {
    const study = await readQuestionnaire(read("questionnaires/ordered.json").study, "https://collector.example/studies/ordered");
    const needed = study.questions.map(({ name }) => name);
    expect(needed).toEqual(["constructor", "__proto__"]);
    expect(answerTo({}, "constructor")).toBeUndefined();
    expect(shownTo(study, needed, {}).map(({ name }) => name)).toEqual(["constructor"]);
    expect(counting(study.questions, {})).toEqual({});
    const given = Object.fromEntries([["constructor", "toString"], ["__proto__", "yes"]]);
    expect(shownTo(study, needed, given)).toHaveLength(2);
    expect(Object.entries(counting(study.questions, given))).toEqual(Object.entries(given));
    expect(applies(study, "__proto__", given)).toBe(true);
    await expect(new Device({ storage: new Memory() }).prepare(study, {})).rejects.toMatchObject({ kind: "domain" });
  });

  it("are names of answers, labels and languages", () => {
    const question = labelled({ items: ["constructor", "teacher"] }, { de: { teacher: "Lehrerin" } }, { other: "toString" });
    expect([0, 1, 2].map((code) => answerName(question, code, say))).toEqual(["constructor", "Lehrerin", "toString"]);
    expect(answerName(question, 1, { ...say, studys: "valueOf" } as Texts)).toBe("teacher");
  });

  it("are names of axes", () => {
    const { answers } = labelled({ axes: [{ name: "length", labels: ["0 to 1", "1 to 9"], edges: ["0.0", "1.0", "9.0"] }, { name: "constructor", labels: ["a", "b"] }] }, {});
    expect(answers.code({ length: 3, constructor: "b" } as never)).toBe(3);
    expect(() => answers.code(["x"])).toThrow("is not an item");
    expect(() => answers.code({ length: 3 })).toThrow("is not an item");
  });
});

describe("labels", () => {
  const items = { items: ["yes", "no"] };
  it.each<[string, object, object, object?]>([
    ["of an unknown language", items, { fr: { yes: "oui" } }],
    ["of an unknown item", items, { de: { maybe: "vielleicht" } }],
    ["of the item for people who weren't asked", items, { de: { "not asked": "nicht gefragt" } }],
    ["that are the same", items, { de: { yes: "ja", no: "ja" } }],
    ["that are another item's name", items, { de: { yes: "no" } }],
    ["that are swapped", items, { de: { yes: "no", no: "yes" } }],
    ["that are the name of an item with a label", items, { de: { yes: "no", no: "nein" } }],
    ["that are the refusal", items, { de: { yes: "Rather not" } }, { refusal: "rather not" }],
    ["with a blank", items, { de: { yes: "ja", no: "ja " } }],
    ["with another blank", items, { de: { yes: "a b", no: "a\u00a0b" } }],
    ["with more blanks", items, { de: { yes: "a b", no: "a  b" } }],
    ["with an invisible character", items, { de: { yes: "ja", no: "ja\u200b" } }],
    ["with a mark", items, { de: { yes: "\u00e9", no: "e\u0301" } }],
    ["in another case", items, { de: { yes: "Straße", no: "STRASSE" } }],
    ["in another width", items, { de: { yes: "ja", no: "ｊａ" } }],
    ["that people can't see", items, { de: { yes: "\u200b" } }],
    ["of axes that are the same", { axes: [{ name: "sex", labels: ["f", "m"] }, { name: "age", labels: [1, 2] }] }, { de: { sex: "x", age: "X" } }],
    ["of bins", { numbers: { labels: ["0 to 1", "1 to 2"], edges: ["0.0", "1.0", "2.0"] } }, { de: { "0 to 1": "wenig" } }],
  ])("are refused: %s", (_, answers, labels, more) => {
    expect(() => labelled(answers, labels, more)).toThrow(/does not fit/);
  });

  it.each<[object, object, object?]>([
    [items, { de: { yes: "ja", no: "nein" }, en: { yes: "Yes" } }],
    [items, { de: { yes: "ja", "rather not": "lieber nicht", else: "anderes" } }, { refusal: "rather not", other: "else" }],
    [{ axes: [{ name: "sex", labels: ["f", "m"] }, { name: "age", labels: [1, 2] }] }, { de: { sex: "Geschlecht", f: "weiblich", 1: "jung" } }],
    [{ scale: ["bad", "good"] }, { de: { bad: "schlecht" } }],
  ])("are taken: %j %j", (answers, labels, more) => {
    expect(labelled(answers, labels, more).labels).toEqual(labels);
  });
});

describe("axes of places", () => {
  const grid = { grid: [{ name: "latitude", cells: 2, low: "40.0", high: "41.0" }, { name: "longitude", cells: 2, low: "-74.0", high: "-73.0" }] };
  const [german, english] = ["de", "en"].map((language) => new Texts(JSON.parse(readFileSync(new URL(`../pages/survey/texts/${language}.json`, import.meta.url), "utf8")))) as [Texts, Texts];

  it("are degrees on the earth, and otherwise have their names and a true minus sign", () => {
    const first = (answers: object, texts = german) => answerName(labelled(answers, {}), 0, texts);
    const box = (low: [number, number], names = ["latitude", "longitude"]) => ({ grid: low.map((each, k) => ({ name: names[k], cells: 25, low: String(each), high: String(each + 0.1) })) });
    expect(first(grid)).toBe("40,25° N, 73,75° W");
    expect(first(box([-33.9, 151.2]))).toBe("33,8980° S, 151,2020° O");
    expect(first(box([40.7, -74]), english)).toBe("40.7020° N, 73.9980° W");
    expect(first(box([-1, 1000], ["latitude", "longitude"]))).toBe("Breitengrad −0,9980, Längengrad 1000,0020");
    expect(first(box([-1, 2], ["row", "seat"]))).toBe("row −0,9980, seat 2,0020");
  });

  it("are called as the study says, or by the page's own words", () => {
    const first = (labels: object) => {
      const question = labelled(grid, labels);
      return question.answers.axes.map((axis) => axisName(axis, german, called(question, german)));
    };
    expect(first({})).toEqual(["Breitengrad", "Längengrad"]);
    expect(first({ de: { latitude: "Breite" } })).toEqual(["Breite", "Längengrad"]);
    expect(first({ en: { latitude: "north", longitude: "east" } })).toEqual(["Breitengrad", "Längengrad"]);
    const { axes } = questionOf({ name: "q", texts: { text: { "": "q" } }, answers: { grid: grid.grid.map((axis, k) => ({ ...axis, name: "xy"[k] })) }, weight: "1.0" }, false, []).answers;
    expect(axes.map((axis) => axisName(axis, german))).toEqual(["x", "y"]);
  });
});

/** A study that was changed, with a fingerprint that fits. */
const signed = async ({ fingerprint: _, promise, ...own }: Record<string, any>) => ({ ...own, promise, fingerprint: await fingerprintOf(own) });

describe("levels", () => {
  const form = (privacy: object) => {
    const own = structuredClone(read("questionnaires/levels.json").study) as Record<string, any>;
    return signed({ ...own, privacy: { ...own["privacy"], ...privacy } });
  };

  it("are called as the study says", async () => {
    const study = await readQuestionnaire(await form({}));
    expect(["careful", "usual"].map(called(study, say))).toEqual(["vorsichtig", "üblich"]);
    expect(["careful", "usual"].map(called(study, { ...say, studys: "en" } as Texts))).toEqual(["careful", "usual"]);
    const bare = await readQuestionnaire(await form({ labels: { en: { usual: "normal" } } }));
    expect(["careful", "usual"].map(called(bare, say))).toEqual(["careful", "usual"]);
  });

  it("are not called alike, and there are labels for nothing else", async () => {
    for (const labels of [{ de: { open: "offen" } }, { fr: { usual: "normal" } }, { de: { careful: "usual" } }, { de: { careful: "X", usual: " x" } }, { de: {} }, { de: 1 }, 1, []]) {
      await expect(readQuestionnaire(await form({ labels }))).rejects.toThrow(/label does not fit|object is missing|text does not fit/);
    }
  });
});

describe("credits of maps", () => {
  const german = new Texts(JSON.parse(readFileSync(new URL("../pages/survey/texts/de.json", import.meta.url), "utf8")));

  it("have no English word if they are the library's", () => {
    expect(creditWords("City, Census; places: GeoNames (CC BY 4.0)", german)).toBe("Karte: City, Census. Orte: GeoNames (CC BY 4.0)");
    expect(creditWords("City of Example", german)).toBe("Karte: City of Example");
  });
});

describe("days", () => {
  it.each([["2027-03-01", "2027-03-01", true], ["2027-03-01", "2027-03-02", true], ["2027-03-02", "2027-03-01", false]])("from %s to %s", async (opens, closes, fits) => {
    const found = readQuestionnaire(await signed({ ...(read("questionnaires/split.json").study as object), dates: { opens, closes } }));
    await (fits ? expect(found).resolves.toMatchObject({ dates: { opens, closes } }) : expect(found).rejects.toThrow("its keys do not fit"));
  });
});

describe("sizes", () => {
  it("are multiplied before there are any cells", async () => {
    const own = read("studies/grid.json").study as Record<string, any>;
    own["domain"] = { grid: [0, 1].map((k) => ({ name: `axis ${k}`, cells: 2 ** 31, low: "0.0", high: "1.0" })) };
    const study = await signed(own);
    const begun = performance.now();
    await expect(readStudy(study)).rejects.toThrow("a count is out of range");
    expect(performance.now() - begun).toBeLessThan(500);
  });
});
