/** What the overview of a questionnaire says about each answer, and about what is sent. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { together } from "../pages/survey/own.js";
import { openness, protection, singled } from "../pages/survey/several_guarantee.js";
import { isSame, leaving } from "../pages/survey/several_review.js";
import { boxesUsed, codeIn, FATES, fateOf, listed, useOf } from "../pages/survey/uses.js";
import { Texts } from "../pages/texts.js";
import type { Questionnaire } from "../src/index.js";
import type { Form, Part } from "../src/parts.js";
import { type Question, questionOf } from "../src/questions.js";

const questions: Question[] = [];
const ask = (name: string, answers: object, more: object = {}, uldp = false) =>
  questions.push(questionOf({ name, texts: { text: { "": `${name}?` } }, answers, weight: "1.0", ...more }, uldp, questions));
ask("smokes", { items: ["yes", "no"] });
ask("packs", { items: ["one", "more"] }, { after: { smokes: ["yes"] }, skipped: "does not apply" });
ask("had", { items: ["cough", "fever", "rash"] }, { choices: 1 });
ask("town", { items: ["north", "south"] });
const [smokes, packs, had, town] = questions as [Question, Question, Question, Question];
const part = (name: string, clear = false, shows = clear) => ({ fields: [{ name }], clear, shows }) as unknown as Part;
const form = (...parts: Part[]) => ({ parts }) as unknown as Form;
const study = (notion: "ldp" | "uldp", ...parts: Part[]) => ({ questions, notion, parts }) as unknown as Questionnaire;
const english = new Texts(JSON.parse(readFileSync(new URL("../pages/survey/texts/en.json", import.meta.url), "utf8")));

describe("what becomes of an answer", () => {
  const drawn = { reported: ["packs"], needed: ["smokes", "packs"] };

  it("is used indirectly if a question of the report depends on it", () => {
    expect([smokes, packs, town].map((each) => useOf(each, drawn))).toEqual(["indirect", "reported", "unused"]);
  });

  it("is sent as it is if the report shows it", () => {
    const parts = [{ questions: ["packs"], shown: true }, { questions: ["town"], shown: false }];
    const both = { reported: ["packs", "town"], needed: ["smokes", "packs", "town"] };
    expect([smokes, packs, town].map((each) => useOf(each, both, parts))).toEqual(["indirect", "clear", "reported"]);
  });

  it("is never called protected if it isn't", () => {
    const uses = ["clear", "reported", "indirect", "unused"] as const;
    const said = (kept: boolean) => uses.map((use) => english.t(FATES[fateOf(use, kept)]));
    expect(said(true).map((words) => words.startsWith("Protected"))).toEqual([false, true, false, false]);
    expect(said(false).filter((words) => words.startsWith("Protected"))).toEqual([]);
    expect(said(false).slice(0, 3)).toEqual(["Sent as it is", "Not protected, but this report doesn’t show it", "Not sent itself, but the report can give it away"]);
  });

  it("has the code of its item, also if the question doesn't apply or wasn't answered", () => {
    const age = questionOf({ name: "age", texts: { text: { "": "age?" } }, answers: { items: ["young", "old"] }, weight: "1.0", refusal: "no" }, false, questions);
    expect([codeIn(smokes, "no"), codeIn(packs, "more"), codeIn(packs, undefined), codeIn(age, "old"), codeIn(age, "no")]).toEqual([1, 1, 2, 1, 2]);
  });

  it("is listed also if a question of the report doesn't apply", () => {
    expect(listed(study("ldp"), drawn, [smokes]).map(({ name }) => name)).toEqual(["smokes", "packs"]);
    expect(listed(study("ldp"), drawn, [smokes, town]).map(({ name }) => name)).toEqual(["smokes", "packs", "town"]);
  });

  it("names the choices of which the report says something", () => {
    expect(boxesUsed(had, form(part("had: fever")))).toEqual([1]);
    expect(boxesUsed(had, form(part("had: cough"), part("had: fever"), part("had: rash")))).toBeUndefined();
    expect(boxesUsed(smokes, form(part("smokes")))).toBeUndefined();
  });
});

describe("what is said above the parts", () => {
  it.each([
    [[false, false], "what_leaves_explained", "what_left_explained"],
    [[true, false], "what_leaves_mixed", "what_leaves_mixed"],
    [[true, true], "what_leaves_shown", "what_left_shown"],
  ])("fits parts of which %j are shown as they are", (shown, before, after) => {
    const parts = shown.map((each) => ({ shown: each }));
    expect([leaving(parts), leaving(parts, true)]).toEqual([before, after]);
  });

  it("doesn't say that chance drew what some people always send", () => {
    const parts = [{ shown: false, fixed: true }, { shown: false, fixed: false }];
    expect([leaving(parts), leaving(parts, true), leaving(parts.slice(1))]).toEqual(["what_leaves_mixed", "what_leaves_mixed", "what_leaves_explained"]);
  });

  it("tells apart whether some answers are sent as they are", () => {
    expect(openness(study("ldp", part("smokes")))).toBe("none");
    expect(openness(study("uldp", part("smokes", false, true)))).toBe("some");
    expect(openness(study("uldp", part("smokes"), part("town", true)))).toBe("some");
    expect(openness(study("uldp", part("town", true)))).toBe("all");
  });

  it("lists the answers of questions that are reported as one", () => {
    expect(together([smokes, had], { smokes: "yes", "had: fever": "no" }, english)).toEqual([["smokes?", "yes"], ["fever", "no"]]);
  });
});

describe("the question that the guarantee is about", () => {
  const all = study("uldp", part("smokes"), part("had: cough"), part("had: fever"));
  const about = (...parts: [name: string, clear?: boolean][]) => form(...parts.map(([name, clear = false]) => ({ ...part(name, clear), questions: [name.split(":")[0]!] }) as Part));

  it("is the only one that is drawn by chance", () => {
    expect(singled(all, about(["had: fever"], ["had: cough"]))).toBe(had);
    expect(singled(all, about(["smokes"], ["town", true]))).toBe(smokes);
  });

  it("is none in particular among several, or before one is drawn", () => {
    expect(singled(all, about(["smokes"], ["had: fever"]))).toBeUndefined();
    expect(singled(all, about(["town", true]))).toBeUndefined();
    expect(singled(all)).toBeUndefined();
  });

  it("has all answers protected, or some, or none", () => {
    const some = questionOf({ name: "drinks", texts: { text: { "": "drinks?" } }, answers: { items: ["a", "b"] }, weight: "1.0", sensitive: [0] }, true, questions);
    expect([smokes, had, some].map((each) => protection(study("uldp"), each))).toEqual(["none", "all", "some"]);
    expect(protection(study("ldp"), smokes)).toBe("all");
  });
});

describe("whether chance left an answer as it was", () => {
  const fields = [...smokes.fields, ...had.fields.slice(0, 1)];

  it("takes all that the part says", () => {
    const names = [{ smokes: "yes", [had.fields[0]!.name]: "no" }];
    expect(isSame({ names }, fields, [0, 1])).toBe(true);
    expect(isSame({ names }, fields, [0, 0])).toBe(false);
    expect(isSame({ names }, fields, [1, 1])).toBe(false);
  });

  it("is never so if the report speaks for other answers too, or for none", () => {
    expect(isSame({ names: [{ smokes: "yes" }, { smokes: "no" }] }, smokes.fields, [0])).toBe(false);
    expect(isSame({ names: [] }, smokes.fields, [0])).toBe(false);
    expect(isSame({ names: [{ [had.fields[0]!.name]: "yes" }] }, fields, [0, 0])).toBe(false);
  });
});
