import type { QuestionnaireEstimate, Tally } from "./api.js";
import { fill, h } from "../dom.js";
import { Controls } from "./controls.js";
import { claimed } from "./head.js";
import type { Choice } from "./keep.js";
import { plainly } from "./methods.js";
import { mainShares, Question, warned } from "./question.js";
import type { Known } from "./promise.js";
import { legend, scaleFor } from "./shares.js";
import { named, Together } from "./together.js";

/** A part of an address within the page, which is safe whatever the name is. */
const anchorOf = (kind: string, number: number, name: string): string =>
  `${kind}${number}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || kind}`;

/** What was found: a table of contents with a headline for each question, then a section for each, and for questions asked together. */
export class QuestionnaireSection {
  private readonly contents = h("ol", { id: "contents" });
  private readonly crossed = h("p", { hidden: true });
  private readonly full = h("nav", { hidden: true, "aria-labelledby": "in-short" }, h("h2", { id: "in-short" }, "In short"), this.contents, this.crossed);
  private readonly shared = h("div");
  private readonly key = h("div");
  private readonly sections = h("div", { class: "questions" });
  private readonly questions = new Map<string, Question>();
  private readonly together = new Map<string, Together>();
  private readonly controls: Controls;
  readonly element: HTMLElement;
  readonly more: HTMLElement;
  readonly computed: HTMLElement;
  readonly tall = false;

  constructor(choice: Choice, chosen: (part: Partial<Choice>) => void) {
    this.controls = new Controls(this.full, choice, chosen);
    this.element = h("section", { id: "found" }, ...this.controls.notices, this.full);
    this.computed = this.controls.computed;
    this.more = h("div", { class: "more" }, this.shared, this.controls.fold, this.key, this.sections);
  }

  methods(methods: Tally["methods"], chosen: string): void {
    this.controls.methods(methods, chosen);
  }

  refuse(words: string | undefined): void {
    this.controls.refuse(words);
  }

  wait(words: string): void {
    this.controls.wait(words);
  }

  clear(): void {
    this.controls.clear();
    this.sections.hidden = this.key.hidden = this.shared.hidden = true;
  }

  show({ questions, together = {}, level, fingerprint, note = "" }: QuestionnaireEstimate, study: Known | undefined): void {
    const used = this.methodsUsed(questions);
    const sentences = new Set(Object.values(questions).map(({ method }) => plainly(method)));
    const short = sentences.size > 1 ? "The questions were estimated by several methods." : [...sentences][0];
    this.controls.show(`${used} ${note}`.trim(), short ?? "", level);
    this.sections.hidden = this.key.hidden = this.shared.hidden = false;
    const known = study?.fingerprint === fingerprint ? study.questions : undefined; // a study may be replaced by another one
    const shown = Object.entries(questions).map(([name, found], k) => {
      const section = kept(this.questions, name, () => new Question(anchorOf("q", k + 1, name)));
      return [section, found, known?.get(name)] as const;
    });
    const joint = Object.entries(together).map(([name, found], k) => {
      const section = kept(this.together, name, () => new Together(anchorOf("together", k + 1, name)));
      return [section, found] as const;
    });
    place(this.sections, [...shown, ...joint].map(([{ element }]) => element));
    fill(
      this.contents,
      ...shown.map(([{ anchor }, { text, headline, claim }]) =>
        h("li", {}, h("a", { href: `#${anchor}` }, text), h("span", { class: "said" }, ...claimed(headline, claim))),
      ),
    );
    this.crossed.hidden = !joint.length;
    fill(this.crossed, "Asked together: ", ...joint.flatMap(([{ anchor }, { axes }], k) => [k > 0 && ", ", h("a", { href: `#${anchor}` }, named(axes))]), ".");
    const scale = scaleFor([...Object.values(questions).flatMap(mainShares), ...Object.values(together).flatMap(({ items }) => items)]);
    fill(this.key, legend({ level, items: Object.values(questions).flatMap(mainShares) }));
    const shared = cautionsOfSeveral(questions);
    fill(this.shared, warned([...shared].map(([caution, texts]) => `${texts.map((text) => `“${text}”`).join(", ")}: ${caution}`)));
    for (const [section, found, each] of shown) section.show(found, level, each, scale, new Set(shared.keys()));
    for (const [section, found] of joint) section.show(found, level, scale);
  }

  /** How each question was estimated: once for those that were estimated alike. */
  private methodsUsed(questions: QuestionnaireEstimate["questions"]): string {
    const groups = new Map<string, string[]>();
    for (const { method, text } of Object.values(questions)) groups.set(method, [...(groups.get(method) ?? []), `“${text}”`]);
    return [...groups]
      .map(([method, texts]) => [groups.size > 1 ? `Method of ${texts.join(", ")}: ${method}.` : `Method: ${method}.`, this.controls.about(method)].filter(Boolean).join(" "))
      .join(" ");
  }
}

/** Cautions that several questions share, with the texts of those. */
function cautionsOfSeveral(questions: QuestionnaireEstimate["questions"]): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (const { text, cautions } of Object.values(questions)) for (const each of cautions) all.set(each, [...(all.get(each) ?? []), text]);
  return new Map([...all].filter(([, texts]) => texts.length > 1));
}

/** What stands under a name, made once: its charts stay while people answer. */
function kept<T>(all: Map<string, T>, name: string, make: () => T): T {
  const found = all.get(name) ?? make();
  all.set(name, found);
  return found;
}

/** Put sections into their place. Those that are there already stay, so that the page doesn't move under the reader. */
function place(element: HTMLElement, sections: readonly HTMLElement[]): void {
  if (sections.length !== element.children.length || sections.some((each, k) => element.children[k] !== each)) fill(element, ...sections);
}
