import type { QuestionnaireEstimate, Tally, TogetherEstimate } from "./api.js";
import { fill, h, visible } from "../dom.js";
import { Controls } from "./controls.js";
import { Figure } from "./figure.js";
import type { Choice } from "./keep.js";
import { back, Question } from "./question.js";
import type { Questionnaire } from "./questionnaire_promise.js";
import { bars } from "./specs.js";
import { sharesTable } from "./shown.js";
import { counted, levelWords, percent, percentDown, percentUp } from "./words.js";

/** A part of an address within the page, which is safe whatever the name is. */
const anchorOf = (kind: string, number: number, name: string): string =>
  `${kind}${number}-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || kind}`;

/** What was found: a table of contents with a headline for each question, then a section for each, and for questions asked together. */
export class QuestionnaireSection {
  private readonly contents = h("ol", { id: "contents" });
  private readonly crossed = h("p", { hidden: true });
  private readonly full = h("nav", { hidden: true, "aria-labelledby": "in-short" }, h("h3", { id: "in-short" }, "In short"), this.contents, this.crossed);
  private readonly sections = h("div");
  private readonly questions = new Map<string, Question>();
  private readonly together = new Map<string, Together>();
  private readonly controls: Controls;
  readonly element: HTMLElement;

  constructor(choice: Choice, chosen: (part: Partial<Choice>) => void) {
    this.controls = new Controls(this.full, choice, chosen);
    const card = h("section", { class: "card", id: "found" }, h("h2", {}, "Estimates"), ...this.controls.elements, this.full);
    this.element = h("div", {}, card, this.sections);
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
    this.sections.hidden = true;
  }

  show({ questions, together = {}, level, fingerprint }: QuestionnaireEstimate, study: Questionnaire | undefined): void {
    this.controls.show();
    this.sections.hidden = false;
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
      ...shown.map(([{ anchor }, { text, headline }]) => h("li", {}, h("a", { href: `#${anchor}` }, text), h("span", { class: "said" }, headline))),
    );
    this.crossed.hidden = !joint.length;
    fill(this.crossed, "Asked together: ", ...joint.flatMap(([{ anchor }, { axes }], k) => [k > 0 && ", ", h("a", { href: `#${anchor}` }, named(axes))]), ".");
    for (const [section, found, each] of shown) section.show(found, level, each, this.controls.about(found.method));
    for (const [section, found] of joint) section.show(found, level);
  }
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

const named = (axes: TogetherEstimate["axes"]): string => {
  const names = Object.keys(axes);
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
};

/** Questions that were asked together: all combinations, and of two questions a table of all people and of each row. */
class Together {
  private readonly figure = new Figure();
  private readonly title = h("h2");
  private readonly about = h("p", { class: "soft small" });
  private readonly tables = h("div");
  readonly element: HTMLElement;

  constructor(readonly anchor: string) {
    this.element = h("section", { class: "card question", id: anchor }, this.title, this.about, this.figure.element, this.tables, back());
  }

  show({ axes, items, within, n, method, cautions }: TogetherEstimate, level: number): void {
    this.title.textContent = visible(named(axes));
    this.about.textContent = `Asked together, of ${counted(n, "person", "people")}. Method: ${method}.`;
    void this.figure.draw(
      bars({ items, level }, (code) => visible(items[code]!.item)),
      `Chart of the shares of all combinations of ${visible(named(axes))}. The tables below have the numbers.`,
    );
    const [[down, rows], [over, columns]] = Object.entries(axes) as [[string, readonly string[]], [string, readonly string[]]];
    const crossing = (about: string, shares: TogetherEstimate["items"]) => {
      const head = [`${down} \\ ${over}`, ...columns].map((column) => h("th", { scope: "col" }, column));
      const body = rows.map((row, k) => {
        const cells = shares.slice(k * columns.length, (k + 1) * columns.length);
        return h("tr", {}, h("th", { scope: "row" }, row), ...cells.map(({ p, low, high }) => h("td", {}, percent(p), h("span", { class: "soft small ends" }, `${percentDown(low).replace("%", "")} to ${percentUp(high)}`))));
      });
      const caption = h("caption", { class: "left" }, about);
      return h("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": `${named(axes)}: ${about}` }, h("table", { class: "shares crossing" }, caption, h("thead", {}, h("tr", {}, ...head)), h("tbody", {}, ...body)));
    };
    fill(
      this.tables,
      ...(within
        ? [crossing("Of all people", items), crossing("Of those who gave the answer at the left (each row sums to 100%)", within)]
        : [sharesTable("combination", `The shares of all combinations, with their ${levelWords(level)} intervals`, items.slice(0, 200))]),
      cautions.length > 0 && h("div", { class: "notice warn" }, h("ul", {}, ...cautions.map((caution) => h("li", {}, caution)))),
    );
  }
}
