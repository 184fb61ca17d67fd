import { type Questionnaire, readQuestionnaire, readStudy, SottovoceError, type Study } from "../../src/index.js";
import type { Domain } from "../../src/domain.js";
import { fill, h } from "../dom.js";
import { english } from "../english.js";
import { experts } from "../survey/experts.js";
import { guarantee, levelWords, oddsTable } from "../survey/one_guarantee.js";
import { guarantee as guaranteeOfAll, levelWords as levelOfAll } from "../survey/several_guarantee.js";

/** What the page knows of a questionnaire: how the answers to each question look, and which of them are sensitive. */
export interface Known {
  readonly fingerprint: string;
  readonly reports: number;
  readonly questions: ReadonlyMap<string, Asked>;
}

/** A question, as the compiled study has it. */
export interface Asked {
  readonly domain: Domain;
  readonly help: string;
  /** Whether several answers were possible. */
  readonly choices: boolean;
  readonly sensitive: ReadonlySet<number>;
}

/** The guarantee of a level, in a line and in full, as people read it who answer. */
type Level = readonly [name: string, words: HTMLElement, full: readonly Node[]];

/** What the study guarantees, and whether it keeps that: judged here, on the whole numbers that devices draw with. */
export class PromiseSection<S extends { readonly fingerprint: string }> {
  private readonly body = h("div", {}, h("p", { class: "soft" }, "Checking the study …"));
  readonly element = h("section", { id: "promise" }, h("h2", {}, "What respondents are guaranteed"), this.body);

  private names: readonly string[] | undefined;
  private again: (() => void) | undefined;

  /** `read` checks a compiled study, and gives what the page needs to know with the guarantee of each level, in which items have these names. */
  constructor(private readonly read: (text: string, url: string) => Promise<readonly [S, (names?: readonly string[]) => readonly Level[]]>) {}

  /** What people call the items: places by those near them. */
  call(names: readonly string[]): void {
    if (names.length === this.names?.length && names.every((name, k) => name === this.names![k])) return;
    this.names = names;
    this.again?.();
  }

  /** Check a compiled study; gives it if it holds. */
  async check(text: string, url: string): Promise<S | undefined> {
    try {
      const [study, levels] = await this.read(text, url);
      this.again = () => this.show(study.fingerprint, levels(this.names));
      this.again();
      return study;
    } catch (error) {
      const missing = error instanceof SottovoceError && error.kind === "source";
      const words = error instanceof Error ? error.message : String(error);
      const said = missing ? `This browser can’t check the study. ${words}` : `Checked in this browser. ${words}`;
      const remedy = missing ? "" : " Don’t rely on its guarantee, and tell the people who run this collector.";
      fill(this.body, h("p", { class: `notice ${missing ? "warn" : "bad"}`, role: "alert" }, said + remedy));
      return undefined;
    }
  }

  private show(print: string, levels: readonly Level[]): void {
    const [only] = levels.length === 1 ? levels : [];
    fill(
      this.body,
      h("p", { class: "checked small", id: "checked" }, h("span", { "aria-hidden": "true" }, "✓ "), "Checked in this browser: the fingerprint matches and the tables keep the guarantee."),
      h("details", { id: "read" }, h("summary", {}, only ? "What they read" : "What they read, for each level they can choose"), ...(only?.[2] ?? levels.map(folded))),
      h("details", {}, h("summary", {}, "Fingerprint of the study"), fingerprint(print)),
    );
  }
}

const folded = ([name, words, full]: Level): HTMLElement => h("details", { class: "level" }, h("summary", {}, h("strong", {}, name), " ", words), ...full);

/** A study of one question. */
export const ofOne = (): PromiseSection<Study> =>
  new PromiseSection(async (text, url) => {
    const study = await readStudy(text, url);
    const full = (level: string, names?: readonly string[]) => [guarantee(study, level, english), experts(english, oddsTable(study, level, english, names))];
    return [study, (names) => study.blocks.map(({ level }) => [level, levelWords(study, level, english), full(level, names)] as const)];
  });

/** A questionnaire. */
export const ofSeveral = (): PromiseSection<Known> =>
  new PromiseSection(async (text, url) => {
    const study: Questionnaire = await readQuestionnaire(text, url);
    const questions = study.questions.map((each) => {
      const help = Object.values(each.texts.help ?? {})[0] ?? "";
      return [each.name, { domain: each.answers, help, choices: each.choices, sensitive: new Set(each.sensitive) }] as const;
    });
    const levels = study.levels.map(({ name }) => [name, levelOfAll(study, name, english), [guaranteeOfAll(study, name, english)]] as const);
    return [{ fingerprint: study.fingerprint, reports: 1, questions: new Map(questions) }, () => levels];
  });

/** A fingerprint, with a button that copies it. */
function fingerprint(print: string): HTMLElement {
  const code = h("code", { id: "fingerprint" }, print);
  const copy = h("button", { type: "button", class: "small" }, "Copy");
  copy.addEventListener("click", () => {
    navigator.clipboard.writeText(print).then(
      () => {
        copy.textContent = "Copied";
        setTimeout(() => (copy.textContent = "Copy"), 2_000);
      },
      () => getSelection()?.selectAllChildren(code), // the browser forbids it: leave it selected
    );
  });
  return h("div", { class: "print" }, h("p", {}, code), copy);
}
