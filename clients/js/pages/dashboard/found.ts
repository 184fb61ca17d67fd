import type { Study } from "../../src/index.js";
import { h } from "../dom.js";
import type { Estimate, Tally } from "./api.js";
import { Controls } from "./controls.js";
import type { Choice } from "./keep.js";
import { plainly } from "./methods.js";
import { Shown } from "./shown.js";

/** Answers from which on the drawing is as tall as the page. */
const TALL = 12;

/** What was found, and how the estimate is made. */
export class FoundSection {
  private readonly shown = new Shown();
  private readonly full = h("div", { hidden: true }, ...this.shown.elements);
  private readonly controls: Controls;
  readonly element: HTMLElement;
  readonly more: HTMLElement;
  readonly computed: HTMLElement;
  /** Whether it takes more room than what stands beside it. */
  tall = false;

  constructor(choice: Choice, chosen: (part: Partial<Choice>) => void) {
    this.controls = new Controls(this.full, choice, chosen);
    this.element = h("section", { id: "found" }, h("h2", { class: "unseen" }, "Estimate"), ...this.controls.notices, this.full);
    this.more = h("div", {}, this.controls.fold);
    this.computed = this.controls.computed;
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
  }

  show(estimate: Estimate, study: Study | undefined): void {
    const { method, note, level, items } = estimate;
    const about = this.controls.about(method);
    this.controls.show([`Method: ${method}.`, about, note].filter(Boolean).join(" "), plainly(method), level);
    const named = study && study.fingerprint === estimate.fingerprint ? study : undefined; // a study may be replaced by another one
    const promised = named?.blocks.find((block) => block.promised)?.promised;
    const known = named && { domain: named.domain, sensitive: (code: number) => promised?.sensitive(code) ?? false };
    this.shown.show(estimate, known);
    this.tall = items.length > TALL && !estimate.mean;
  }

  /** The chart as a picture. */
  png(): Promise<Blob> {
    return this.shown.png();
  }
}
