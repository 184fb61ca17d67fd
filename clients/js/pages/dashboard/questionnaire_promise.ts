import { SottovoceError } from "../../src/index.js";
import { type Domain, domainOf } from "../../src/domain.js";
import { fingerprintOf } from "../../src/load.js";
import { fill, h } from "../dom.js";
import { checked, fingerprint } from "./promise.js";

/** What the page knows of a questionnaire: how the answers to each question look, and which of them are sensitive. */
export interface Questionnaire {
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

/** What a questionnaire guarantees, and whether its fingerprint fits. */
export class QuestionnairePromise {
  private readonly body = h("div", {}, h("p", { class: "soft" }, "Checking the study …"));
  readonly element = h("section", { id: "promise" }, h("h2", {}, "Privacy guarantee"), this.body);

  /** Check a compiled questionnaire; gives what the page needs of it if its fingerprint fits. */
  async check(text: string): Promise<Questionnaire | undefined> {
    try {
      const form = JSON.parse(text) as Record<string, any>;
      const { promise, fingerprint: print, ...own } = form;
      if ((await fingerprintOf(own)) !== print) throw new Error("this study is refused: its fingerprint does not fit");
      this.show(String(promise), String(print));
      const questions = (form["questions"] as Record<string, any>[]).map((each) => {
        const help = Object.values<string>(each["texts"].help ?? {})[0] ?? "";
        const asked = { domain: domainOf(each["answers"]), help, choices: Boolean(each["choices"]), sensitive: new Set<number>(each["sensitive"] ?? []) };
        return [String(each["name"]), asked] as const;
      });
      return { fingerprint: String(print), reports: 1, questions: new Map(questions) };
    } catch (error) {
      const missing = error instanceof SottovoceError && error.kind === "source";
      const words = error instanceof Error ? error.message : String(error);
      const said = missing ? `This browser cannot check the study: ${words}.` : `Checked in this browser: ${words}.`;
      const remedy = missing ? "" : " Don’t rely on its guarantee, and tell the people who run this collector.";
      fill(this.body, h("p", { class: `notice ${missing ? "warn" : "bad"}`, role: "alert" }, said + remedy));
      return undefined;
    }
  }

  private show(promise: string, print: string): void {
    const blocks = promise.split("\n\n").map((block) => {
      const lines = block.split("\n");
      const entries = lines.filter((line) => line.startsWith("  ")).map((line) => h("li", {}, line.trim().replace(/^- /, "")));
      const plain = lines.filter((line) => !line.startsWith("  ")).map((line) => h("p", {}, line));
      return h("div", {}, ...plain, entries.length > 0 && h("ul", {}, ...entries));
    });
    const command = h("code", {}, "sottovoce check");
    const [first, ...rest] = blocks;
    fill(
      this.body,
      first,
      rest.length > 0 && h("details", {}, h("summary", {}, "The whole guarantee"), ...rest),
      checked("Checked in this browser: the fingerprint fits."),
      h("details", {}, h("summary", {}, "Details to check"), h("p", { class: "soft small" }, "The collector has checked that the tables keep the guarantee. You can check it yourself with ", command, "."), fingerprint(print)),
    );
  }
}
