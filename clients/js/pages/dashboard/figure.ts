import { fill, h } from "../dom.js";
import type * as Charts from "./charts.js";

/** The colours of a chart, those of the page. */
export interface Look {
  readonly width: number;
  readonly ink: string;
  readonly line: string;
  readonly paper: string;
  readonly estimate: string;
  readonly interval: string;
  readonly font: string;
  /** Whether the chart stands by itself, without a page that explains its marks. */
  readonly alone?: boolean;
  /** What is below the shares of a map. */
  readonly land: string;
  readonly water: string;
  readonly shore: string;
  /** The colours of the classes of shares on a map, from small to large. */
  readonly shares: readonly string[];
}

export type Make = (look: Look) => object;

let charts: Promise<typeof Charts> | undefined;
let failures = 0;
/** The charts' code. A browser remembers that an address failed; behind a new fragment it asks again. */
function loaded(): Promise<typeof Charts> {
  const address = `./charts.js${failures ? `#${failures}` : ""}`;
  return (charts ??= (import(address) as Promise<typeof Charts>).catch((error: unknown) => {
    charts = undefined;
    failures += 1;
    throw error;
  }));
}

const PRINT: Look = { alone: true, width: 720, ink: "#1b1f24", line: "#d0d7de", paper: "#ffffff", estimate: "#0b5cad", interval: "#9ec5ee", land: "#f7f6f2", water: "#dcdfe2", shore: "#b4bbc1", shares: ["#bdd5ec", "#85b3dd", "#4b8cc8", "#1f65a9", "#0a3d77"], font: "Arial, Helvetica, Liberation Sans, sans-serif" };

/** A chart as a picture for paper, whatever the page looks like. */
export const pictureOf = async (make: Make): Promise<Blob> => (await loaded()).png(make(PRINT));

const dark = matchMedia("(prefers-color-scheme: dark)");

/** A chart that fits its place: drawn anew when its width or the page's colours change. Its data are in a table; here they are a picture. */
export class Figure {
  readonly element = h("div", { class: "figure", role: "img" });
  private readonly tip = h("div", { class: "tip", "aria-hidden": "true", hidden: true });
  private make: Make | undefined;
  private width = 0;
  private times = 0;
  private release: (() => void) | undefined;

  constructor() {
    new ResizeObserver(() => {
      if (Math.abs(this.element.clientWidth - this.width) > 1) void this.redraw();
    }).observe(this.element);
    dark.addEventListener("change", () => void this.redraw());
    this.element.addEventListener("mouseleave", () => (this.tip.hidden = true));
  }

  /** Draw; the label says in words what is to be seen. */
  async draw(make: Make, label: string): Promise<void> {
    this.make = make;
    this.element.setAttribute("aria-label", label);
    await this.redraw();
  }

  private async redraw(): Promise<void> {
    this.width = this.element.clientWidth;
    if (!this.make || this.width < 50) return;
    const [mine, place] = [(this.times += 1), h("div", { "aria-hidden": "true" })];
    let release: () => void;
    let paper: HTMLElement | undefined;
    try {
      const { draw } = await loaded();
      release = await draw(place, this.make(this.look()), (value, event) => this.show(value, event));
      if (dark.matches) paper = await this.paper(); // a drawing keeps its colours when it's printed
    } catch {
      if (mine === this.times && !this.release) fill(this.element, h("p", { class: "soft" }, "The chart can’t be drawn now. The numbers are in the table."));
      return;
    }
    if (mine !== this.times) return release(); // a newer one is on its way
    this.release?.();
    this.release = release;
    this.tip.hidden = true;
    this.element.classList.toggle("twice", Boolean(paper));
    fill(this.element, place, paper, this.tip); // the old chart stays until the new one is there
    this.element.dataset["drawn"] = String(mine);
  }

  /** The chart in the colours of paper. */
  private async paper(): Promise<HTMLElement> {
    const place = h("div", { class: "paper", "aria-hidden": "true" });
    const done = await (await loaded()).draw(place, this.make!({ ...PRINT, alone: false, width: this.width, font: this.look().font }), () => undefined);
    done();
    return place;
  }

  private look(): Look {
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
    return { width: this.width, ink: colour("ink"), line: colour("line"), paper: colour("paper"), estimate: colour("estimate"), interval: colour("interval"), land: colour("land"), water: colour("water"), shore: colour("shore"), shares: [1, 2, 3, 4, 5].map((k) => colour(`share-${k}`)), font: style.fontFamily };
  }

  private show(value: unknown, event: MouseEvent | undefined): void {
    this.tip.hidden = typeof value !== "object" || value === null || !event;
    if (this.tip.hidden) return;
    fill(this.tip, ...Object.values(value as Record<string, string>).map((line, k) => h(k ? "span" : "strong", {}, line)));
    const { left, top, width } = this.element.getBoundingClientRect();
    const x = Math.max(0, Math.min(event!.clientX - left + 12, width - this.tip.offsetWidth));
    this.tip.style.left = `${x}px`; // set by script, which the policy allows: it is no style attribute of the page
    this.tip.style.top = `${event!.clientY - top + 14}px`;
  }
}
