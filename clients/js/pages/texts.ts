/** What the pages say, in one language: texts with placeholders, plural forms, numbers, dates and lists as that language writes them. */
import type english from "./survey/texts/en.json";
import { h } from "./dom.js";

export type Key = keyof (typeof english)["texts"];
type Text = string | Partial<Record<Intl.LDMLPluralRule, string>>;

/** A file of texts. */
export interface Wording {
  readonly language: string;
  /** The language in its own words. */
  readonly name: string;
  readonly direction: string;
  readonly texts: Readonly<Record<Key, Text>>;
}

export type Values = Readonly<Record<string, string | number>>;

/** Without the marks for direction that some languages put into numbers and days: values stand apart from the text around them anyway. */
const plain = (text: string): string => text.replace(/[\u061c\u200e\u200f]/g, "");

export class Texts {
  readonly language: string;
  readonly direction: string;
  private readonly plural: Intl.PluralRules;
  private readonly lists: Intl.ListFormat;

  /** `studys` is the language of the study's own texts, which may be another one. */
  constructor(
    private readonly wording: Wording,
    readonly studys: string = wording.language,
  ) {
    this.language = wording.language;
    this.direction = wording.direction;
    this.plural = new Intl.PluralRules(this.language);
    this.lists = new Intl.ListFormat(this.language, { type: "conjunction" });
  }

  /** A text with its values. `count` chooses the plural form. */
  t(key: Key, values: Values = {}): string {
    return this.parts(key, values).join("");
  }

  /** The same, with each value kept apart from the text around it: it may be in another language, or run the other way. */
  rich(key: Key, values: Values = {}): Node[] {
    return this.parts(key, values).map((part, k) => (k % 2 ? h("bdi", {}, part) : document.createTextNode(part)));
  }

  /** A number as the language writes it. */
  number(value: number, options: Intl.NumberFormatOptions = {}): string {
    return plain(value.toLocaleString(this.language, options));
  }

  /** A day, such as "2027-05-04". */
  day(day: string): string {
    return plain(new Date(day).toLocaleDateString(this.language, { dateStyle: "long", timeZone: "UTC" }));
  }

  /** Several things as one. */
  list(things: readonly string[]): string {
    return this.lists.format(things);
  }

  /** Sentences one after the other. Empty ones are left out. */
  sentences(...texts: readonly (string | false | 0 | null)[]): string {
    return texts.filter(Boolean).join(this.space);
  }

  /** What stands between two sentences. */
  get space(): string {
    return /^(ja|zh)/.test(this.language) ? "" : " ";
  }

  quoted(text: string): string {
    return this.t("quoted", { text });
  }

  /** The text around the values (at even places), and the values. */
  private parts(key: Key, values: Values): string[] {
    const found = this.wording.texts[key];
    const text = typeof found === "string" ? found : (found[this.plural.select(Number(values["count"]))] ?? found.other!);
    return text.split(/\{(\w+)\}/).map((part, k) => (k % 2 === 0 ? part : this.shown(values[part] ?? "")));
  }

  private shown(value: string | number): string {
    return typeof value === "number" ? this.number(value, { maximumFractionDigits: 3 }) : value;
  }
}
