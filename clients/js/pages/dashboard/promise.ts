import { explain, readStudy, SottovoceError, type Study } from "../../src/index.js";
import { fill, h } from "../dom.js";
import { english } from "../english.js";
import { groupNames, shownFrom } from "../names.js";

/** What the study guarantees, and whether it keeps that: judged here, on the whole numbers that devices draw with. */
export class PromiseSection {
  private readonly body = h("div", {}, h("p", { class: "soft" }, "Checking the study …"));
  readonly element = h("section", { id: "promise" }, h("h2", {}, "Privacy guarantee"), this.body);

  /** Check a compiled study; gives it if it holds. */
  async check(text: string, url: string): Promise<Study | undefined> {
    try {
      const study = await readStudy(text, url);
      this.show(study);
      return study;
    } catch (error) {
      const missing = error instanceof SottovoceError && error.kind === "source";
      const words = error instanceof Error ? error.message : String(error);
      const said = missing ? `This browser cannot check the study: ${words}.` : `Checked in this browser: ${words}.`;
      const remedy = missing ? "" : " Don’t rely on its guarantee, and tell the people who run this collector.";
      fill(this.body, h("p", { class: `notice ${missing ? "warn" : "bad"}`, role: "alert" }, said + remedy));
      return undefined;
    }
  }

  private show(study: Study): void {
    const several = study.blocks.length > 1;
    fill(
      this.body,
      several && h("p", {}, "People who answer choose a level, and each level has its guarantee."),
      ...study.blocks.map((block) => {
        const { promise } = explain(study, { level: block.level });
        return h("div", { class: "level" }, several && h("h3", {}, block.level), h("p", {}, promise));
      }),
      h("p", { class: "soft small" }, shownFrom(study, english)),
      checked("Checked in this browser: the fingerprint fits, and the tables keep the guarantee."),
      h("details", {}, h("summary", {}, "Details to check"), h("p", { class: "soft small" }, "What a report can do to the odds of each answer, read off the tables:"), ...odds(study), fingerprint(study.fingerprint)),
    );
  }
}

/** A line that says what was checked, and that all is well. */
export const checked = (words: string): HTMLElement => h("p", { class: "checked small", id: "checked" }, h("span", { "aria-hidden": "true" }, "✓ "), words);

/** What a report can do to the odds of each answer, at each level. */
function odds(study: Study): HTMLElement[] {
  return study.blocks.map((block) => {
    const lines = explain(study, { level: block.level }).odds;
    const rows = groupNames(study, lines, english).map(([name, { words }]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, words)));
    const head = h("tr", {}, h("th", { scope: "col" }, "answer"), h("th", { scope: "col" }, "a report can make it"));
    const caption = h("caption", { class: study.blocks.length > 1 ? "" : "unseen" }, block.level || "What a report can do to the odds");
    return h("table", { class: "odds" }, caption, h("thead", {}, head), h("tbody", {}, ...rows));
  });
}

/** A fingerprint, with a button that copies it. */
export function fingerprint(print: string): HTMLElement {
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
  return h("div", { class: "print" }, h("p", { class: "small" }, h("strong", {}, "Fingerprint"), " ", copy), code);
}
