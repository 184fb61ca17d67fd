import { fill, h } from "../dom.js";
import type { Estimate, Outlook } from "./api.js";
import { Figure, type Make } from "./figure.js";
import { styled } from "./specs.js";
import { Target } from "./target.js";
import { about, levelWords, points, whole } from "./words.js";

/** How the error shrinks with more people, and how many of them are needed. */
export class OutlookSection {
  private readonly figure = new Figure();
  private readonly now = h("p", { id: "margin" });
  private readonly target: Target;
  private readonly note = h("p", { class: "soft small", id: "outlook-note" });
  readonly element: HTMLElement;

  /** `wanted` is told the half-width that the analyst aims for. */
  constructor(target: number, wanted: (target: number) => void) {
    this.target = new Target(target, wanted);
    const title = h("h2", {}, "How many people it takes");
    this.element = h("section", { class: "card", id: "outlook" }, title, this.now, this.target.element, this.figure.element, this.note);
  }

  /** If people mark items of their own, every interval of the estimate leaves room for them. */
  show(outlook: Outlook, estimate: Estimate | undefined): void {
    const tagged = estimate?.tags !== undefined;
    const { margin, people, needed, more, note, level } = outlook;
    const { verdict } = this.target;
    this.target.speak();
    this.note.textContent = note ?? "";
    this.note.hidden = !note;
    this.target.element.hidden = this.figure.element.hidden = outlook.curve.length === 0;
    this.now.hidden = margin === null;
    if (margin !== null) {
      const width = h("strong", {}, margin > 0.5 ? "more than ± 50" : `± ${points(margin)}`);
      const many = margin > 0.5 ? "So far an interval may reach " : tagged ? "Apart from the marked answers the widest interval is about " : "The widest interval is about ";
      fill(this.now, many, width, ` percentage points, at ${levelWords(level)}.`);
    }
    if (this.target.wrong) {
      // what was typed in is no target, and the verdict says so
    } else if (needed === null) fill(verdict, "there are not enough people.");
    else if (!more) fill(verdict, `about ${about(needed)} people are needed: `, h("strong", {}, "there are enough"), ".");
    else {
      const missing = people > 0 && [": ", h("strong", {}, `${about(more)} more`)];
      fill(verdict, "about ", h("strong", {}, `${about(needed)} people`), " are needed", ...(missing || []), ".");
    }
    if (!outlook.curve.length) return;
    const so = margin === null ? "" : `With ${whole(people)} people the widest interval is ± ${points(margin)} percentage points. `;
    const goal = needed === null ? "" : `± ${points(outlook.target)} take ${about(needed)}.`;
    void this.figure.draw(curve(outlook), `Chart: the widest interval against the number of people, both on logarithmic scales. ${so}${goal}`);
  }
}

/** Round numbers within the range of some: lines for these are enough on a logarithmic axis. */
function ticks(values: readonly number[], steps: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const found: number[] = [];
  for (let power = Math.floor(Math.log10(least)); 10 ** power <= most; power += 1) found.push(...steps.map((step) => step * 10 ** power));
  const within = found.filter((value) => value >= least && value <= most);
  return within.length > 7 && steps.length > 1 ? ticks(values, [1]) : within;
}

/** A falling line, the point where the study is, and the target. */
function curve({ curve: line, margin, people, target, needed }: Outlook): Make {
  const values = line.filter((point) => point.margin > 0 && point.margin <= 1).map((point) => ({ people: point.people, margin: 100 * point.margin }));
  const here = margin && margin <= 1 ? [{ people: Math.max(1, people), margin: 100 * margin, name: "now" }] : [];
  const goal = needed === null ? [] : [{ people: needed, margin: 100 * target }];
  return (look) => {
    const log = { type: "log", nice: false };
    const x = { field: "people", type: "quantitative", title: "people", scale: log, axis: { format: "~s", values: ticks(values.map(({ people: n }) => n), [1]) } };
    const y = { field: "margin", type: "quantitative", title: "± percentage points", scale: log, axis: { format: "~g", values: ticks(values.map(({ margin: width }) => width), [1, 2, 5]) } };
    const dashed = { type: "rule", color: "#D55E00", strokeDash: [4, 3] };
    const label = { type: "text", color: look.ink, fontSize: 11 };
    const goalRow = [{ margin: 100 * target, text: "target" }];
    return styled(look, {
      width: look.width,
      height: 210,
      layer: [
        { data: { values }, mark: { type: "line", color: look.bar, strokeWidth: 2 }, encoding: { x, y } },
        { data: { values: goalRow }, mark: dashed, encoding: { y } },
        { data: { values: goalRow }, mark: { ...label, align: "left", baseline: "bottom", dy: -3 }, encoding: { x: { value: 4 }, y, text: { field: "text" } } },
        { data: { values: goal }, mark: { type: "point", color: "#D55E00", size: 70, strokeWidth: 2 }, encoding: { x, y } },
        { data: { values: here }, mark: { type: "point", filled: true, color: look.ink, size: 80, opacity: 1 }, encoding: { x, y } },
        { data: { values: here }, mark: { ...label, align: "left", dx: 8, dy: -8 }, encoding: { x, y, text: { field: "name" } } },
      ],
    });
  };
}
