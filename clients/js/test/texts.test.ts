/** The texts of the survey page: complete in every language, and said as that language says them. */
import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { choose, match } from "../pages/survey/languages.js";
import { problems } from "../pages/survey/texts/check.mjs";
import { typeset } from "../pages/survey/texts/typeset.mjs";
import { Texts, type Wording } from "../pages/texts.js";

const folder = new URL("../pages/survey/texts/", import.meta.url);
const read = (name: string): Wording => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
const english = read("en.json");
const texts = (language: string) => new Texts(read(`${language}.json`));

describe("texts", () => {
  it.each(files)("%s is complete", (name) => expect(problems(read(name), english)).toEqual([]));

  it("covers five languages", () => expect(files).toEqual(["de.json", "en.json", "es.json", "fr.json", "ja.json"]));

  it("finds what is missing, left over or wrong", () => {
    const { loading: _, ...others } = english.texts;
    const broken = { ...english, language: "de", texts: { ...others, extra: "x", quoted: "no place", search: { one: "{count}" }, next: " " } };
    expect(problems(broken, english)).toEqual([
      "de: extra: English has no such text",
      "de: loading is missing",
      "de: quoted must have the placeholders {text}",
      "de: search lacks the plural forms other",
      "de: next is empty",
    ]);
  });

  it("uses every text", () => {
    const all = ["../pages/", "../pages/survey/"].flatMap((place) => {
      const at = new URL(place, import.meta.url);
      return readdirSync(at).filter((name) => name.endsWith(".ts")).map((name) => readFileSync(new URL(name, at), "utf8"));
    });
    const collector = new URL("../../../src/sottovoce/collector/", import.meta.url);
    const source = [...all, ...["survey.html", "front.html", "cards.py"].map((name) => readFileSync(new URL(name, collector), "utf8"))].join("\n");
    expect(Object.keys(english.texts).filter((key) => !new RegExp(`["'.]${key}\\b`).test(source))).toEqual([]);
  });

  it("has plural forms, numbers and days by language", () => {
    expect(texts("en").t("shown_from", { count: 1 })).toBe("No results are shown before there is 1 report.");
    expect(texts("de").t("shown_from", { count: 1500 })).toBe("Ergebnisse werden erst gezeigt, wenn es 1.500 Meldungen gibt.");
    expect(texts("fr").t("few_choices", { count: 1 })).toBe("1 réponse au plus");
    expect(texts("ja").t("few_choices", { count: 2 })).toBe("2 個以下の選択");
    expect(texts("en").t("how_many", { low: 1, count: 1 })).toMatch(/^Only 1 of your answers, drawn at random, goes into/);
    expect(texts("en").t("how_many_about", { low: 2, count: 4 })).toMatch(/^Only 2 to 4 of your answers, drawn at random, go into/);
    expect(texts("fr").t("how_many", { count: 1 })).toMatch(/^1 seule de vos réponses, tirée au sort .* laquelle/);
    expect(texts("es").t("how_many", { count: 2 })).toMatch(/^Solo 2 de sus respuestas, sorteadas .* cuáles/);
    expect(texts("de").t("budget_adds", { amount: 0.25 })).toBe("Diese Umfrage verbraucht 0,25.");
    expect(["en", "de", "fr", "es", "ja"].map((each) => texts(each).day("2027-05-04"))).toEqual(["May 4, 2027", "4. Mai 2027", "4 mai 2027", "4 de mayo de 2027", "2027年5月4日"]);
    expect(texts("es").list(["a", "b", "c"])).toBe("a, b y c");
  });
});

describe("blanks", () => {
  it("don't break lines around French punctuation or after Japanese numbers", () => {
    const said = (language: string) => new Texts(typeset(read(`${language}.json`)));
    expect(said("fr").quoted("oui")).toBe("«\u00a0oui\u00a0»");
    expect(said("fr").t("contact", { contact: "x" })).toMatch(/\u00a0\?/);
    expect(said("ja").t("few_choices", { count: 2 })).toBe("2\u00a0個以下の選択");
    expect(said("ja").t("budget_explained")).toContain("1\u00a0件の場合");
    for (const language of ["de", "en", "es"]) expect(typeset(read(`${language}.json`))).toEqual(read(`${language}.json`));
    for (const language of ["fr", "ja"]) expect(problems(typeset(read(`${language}.json`)), english)).toEqual([]);
  });
});

describe("languages", () => {
  const own = ["en", "de", "es", "fr", "ja"];

  it("matches also by the part before the hyphen", () => {
    expect(match(["de-CH", "fr"], ["fr", "de"])).toBe("de");
    expect(match(["pt-BR"], ["pt-PT", "pt-BR"])).toBe("pt-BR");
    expect(match(["it"], ["fr"])).toBeUndefined();
  });

  it.each([
    [[], ["de-AT", "en"], { study: "de", page: "de", options: own }],
    [[], ["it"], { study: "en", page: "en", options: own }],
    [["en", "de"], ["de"], { study: "de", page: "de", options: ["en", "de"] }],
    [["fr", "de"], ["ja"], { study: "fr", page: "fr", options: ["fr", "de"] }],
    [["pt"], ["es", "pt"], { study: "pt", page: "es", options: ["pt"] }],
    [["ar"], ["it"], { study: "ar", page: "en", options: ["ar"] }],
  ])("chooses from %j for someone who wants %j", (studys, wanted, found) => expect(choose(studys, own, wanted)).toEqual(found));
});
