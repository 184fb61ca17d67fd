import { fill, h } from "../dom.js";
import type { Estimate, Outlook } from "./api.js";
import { curve } from "./curve.js";
import { digitsFor, ends } from "./numbers.js";
import { digitsOf } from "./specs.js";
import { Target } from "./target.js";
import { about, points, whole } from "./words.js";

/** How the error shrinks with more people, and how many of them are needed. */
export class OutlookSection {
  private readonly figure = h("div", { class: "plot-of-people" });
  private readonly now = h("p", { id: "margin" });
  private readonly target: Target;
  private readonly note = h("p", { class: "soft small", id: "outlook-note" });
  readonly element: HTMLElement;

  /** `wanted` is told the half-width that the analyst aims for. */
  constructor(target: number, wanted: (target: number) => void) {
    this.target = new Target(target, wanted);
    const title = h("h2", {}, "How many people it takes");
    this.element = h("section", { id: "outlook" }, title, this.now, this.target.element, this.note, this.figure);
  }

  /** The widest interval is written with the digits of the table of the `estimate`. */
  show(outlook: Outlook, estimate?: Estimate): void {
    const { margin, widest, people, needed, more, note, ranked } = outlook;
    const { verdict } = this.target;
    this.target.speak();
    this.note.textContent = note ?? "";
    this.note.hidden = !note;
    this.target.element.hidden = this.figure.hidden = outlook.curve.length === 0;
    this.now.hidden = margin === null;
    if (margin !== null) {
      const width = h("strong", {}, margin > 0.5 ? "more than ± 50" : `± ${points(margin)}`);
      const which = widest && `“${widest.item}”: ${ends(widest, estimate ? digitsOf(estimate) : digitsFor([widest]))}, or `;
      fill(this.now, which ? "The widest interval is that of " : margin > 0.5 ? "So far an interval may reach " : "The widest interval is about ", which, width, " percentage points.");
    }
    if (this.target.wrong) {
      // what was typed in is no target, and the verdict says so
    } else if (needed === null) fill(verdict, "no number of people is enough.");
    else if (!more && !ranked) fill(verdict, "you have enough people, but all intervals overlap.");
    else if (!more) fill(verdict, "you have ", h("strong", {}, "enough people"), ".");
    else {
      const missing = people > 0 && [": ", h("strong", {}, `${about(more)} more`)];
      fill(verdict, "you need about ", h("strong", {}, `${about(needed)} people`), ...(missing || []), ".");
    }
    if (!outlook.curve.length) return;
    const so = margin === null ? "" : `With ${whole(people)} people the widest interval is ± ${points(margin)} percentage points. `;
    const goal = needed === null ? "" : `± ${points(outlook.target)} take ${about(needed)}.`;
    const label = `Chart: the widest interval against the number of people, both on logarithmic scales. ${so}${goal}`;
    const axis = (words: string, kind: string) => h("p", { class: `soft small axis ${kind}`, "aria-hidden": "true" }, words);
    fill(this.figure, axis("widest interval, ± percentage points", "up"), curve(outlook, label), axis("people", "along"));
  }
}
