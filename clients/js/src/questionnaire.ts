/** Questionnaires: studies of several questions under one guarantee for everything that a person reports. */
import { different, entries, fields, list, textOf } from "./channels/channel.js";
import { foreignReport, must, unknownLevel } from "./errors.js";
import { checked, loaded, type LoadOptions, plain } from "./load.js";
import { type Form, formsOf, type Level, type Part, partOf } from "./parts.js";
import { checkLabels, type Question, questionOf, type Texts, textsOf } from "./questions.js";
import { budgetOf } from "./study.js";

const FIT = "its keys do not fit";
const LEVELS = "its levels do not fit";

/** A questionnaire that has been checked: its fingerprint fits, and every form keeps what its level promises. */
export interface Questionnaire {
  readonly name: string;
  readonly fingerprint: string;
  /** Where it was loaded from. */
  readonly url: string;
  /** Whether its administrator had closed it when it was loaded. */
  readonly closed?: boolean;
  /** Reports from which on the collector shows results. */
  readonly minimum: number;
  /** The first one is the default; empty if all texts are in one language. */
  readonly languages: readonly string[];
  readonly texts: { readonly title: Texts } & { readonly [key in "introduction" | "organisation" | "contact" | "consent" | "thanks"]?: Texts };
  /** The first and the last day (UTC) on which the collector takes reports. */
  readonly dates: { readonly opens?: string; readonly closes?: string };
  /** Whether people see only the questions that were drawn and those on which they depend, or all, of which the drawn ones are sent. */
  readonly ask: "drawn" | "all";
  /** Whether each question has a screen of its own. */
  readonly paged: boolean;
  readonly notion: "ldp" | "uldp";
  /** One with the name "" if people choose none. */
  readonly levels: readonly Level[];
  /** What levels are called, by language. */
  readonly labels: Readonly<Record<string, Texts>>;
  readonly questions: readonly Question[];
  readonly parts: readonly Part[];
  readonly forms: readonly Form[];
}

/** Fetch a compiled questionnaire from a collector, and check it. */
export const loadQuestionnaire = (url: string | URL, options: LoadOptions = {}): Promise<Questionnaire> => loaded(url, options, readQuestionnaire);

/** Check a compiled questionnaire, given as text or as the object that the text stands for. */
export const readQuestionnaire = (json: unknown, url = ""): Promise<Questionnaire> =>
  checked(json, 2, ["texts", "dates", "languages", "privacy", "minimum", "questions", "parts", "forms", "ask?", "paged?"], (form) => questionnaireOf(form, plain(url)));

function questionnaireOf(form: Record<string, any>, url: string): Questionnaire {
  const { name, minimum, languages, fingerprint, ask = "drawn", paged = 1 } = form;
  const texts = fields(form["texts"], "title", "introduction?", "organisation?", "contact?", "consent?", "thanks?") as unknown as Questionnaire["texts"];
  Object.values(texts).forEach(textsOf);
  must(Array.isArray(languages) && languages.every((each) => typeof each === "string"), FIT);
  must(form["ask"] !== "drawn" && ["drawn", "all"].includes(ask) && form["paged"] !== 1 && [0, 1].includes(paged), FIT);
  const { notion, labels = {}, ...promised } = fields(form["privacy"], "notion", "epsilon?", "levels?", "labels?") as Record<string, any>;
  const uldp = notion === "uldp";
  must(uldp || notion === "ldp", FIT);
  must(entries(promised).length === 1, LEVELS);
  const levels = promised["levels"] === undefined ? [{ name: "", epsilon: budgetOf(promised["epsilon"]) }] : list(promised["levels"]).map(levelOf);
  const named = levels.map(({ name }) => name);
  must(different(named), LEVELS);
  checkLabels(labels, languages, [named.filter(Boolean)]);
  const questions: Question[] = [];
  for (const each of list(form["questions"])) questions.push(questionOf(each, uldp, questions, languages));
  const names = questions.map((each) => each.name);
  const reported = questions.flatMap((each) => each.fields.map((field) => field.name));
  must(questions.length <= 128 && [names, reported].every(different), "its questions do not fit");
  const parts = list(form["parts"]).map((each) => partOf(each, uldp, questions));
  const forms = formsOf(form["forms"], parts, levels, questions);
  return { name, fingerprint, url, minimum, languages, texts, dates: datesOf(form["dates"]), ask, paged: paged === 1, notion, levels, labels, questions, parts, forms };
}

function levelOf(value: unknown): Level {
  const { level, epsilon } = fields(value, "level", "epsilon");
  const name = textOf(level);
  must(name === name.trim(), LEVELS);
  return { name, epsilon: budgetOf(epsilon) };
}

function datesOf(value: unknown): Questionnaire["dates"] {
  const dates = fields(value, "opens?", "closes?") as Questionnaire["dates"];
  const { opens = "", closes = "9" } = dates;
  must(Object.values(dates).every((day) => new Date(day).toISOString().slice(0, 10) === day) && opens <= closes, FIT);
  return dates;
}

/** What is wrong with the day, if the study takes no reports on it. */
export function closedOn({ opens = "", closes = "9" }: Questionnaire["dates"], day: string): string | undefined {
  return day < opens ? `This study opens on ${opens}.` : day > closes ? `This study closed on ${closes}.` : undefined;
}

/** The forms of a level. */
export function levelForms({ forms, levels }: Questionnaire, level = ""): Form[] {
  const found = forms.filter((form) => form.level === level);
  if (found.length) return found;
  throw unknownLevel(levels.map(({ name }) => name));
}

/** A form by its name, which is the `level` of a report. */
export function formNamed({ forms }: Questionnaire, name?: string): Form {
  const found = forms.find((form) => form.name === name);
  if (!found) throw foreignReport();
  return found;
}
