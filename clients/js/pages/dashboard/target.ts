import { h } from "../dom.js";

/** The half-width that the analyst aims for, in percentage points, and what it takes. */
export class Target {
  readonly verdict = h("span", { id: "needed" });
  private readonly field = h("input", { type: "number", id: "target", min: "0.01", max: "99", step: "any", inputmode: "decimal" });
  readonly element = h("p", { class: "target" }, h("label", { for: "target" }, "For ±"), " ", this.field, " percentage points ", this.verdict);
  private timer = 0;

  /** `wanted` is told the half-width. */
  constructor(target: number, wanted: (target: number) => void) {
    this.field.value = String(Number((100 * target).toPrecision(6)));
    this.field.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => {
        const value = Number(this.field.value) / 100;
        const fits = value >= 0.0001 && value <= 0.99;
        this.field.setAttribute("aria-invalid", String(!fits));
        if (fits) wanted(value);
        else this.verdict.textContent = "– give a number between 0.01 and 99.";
      }, 400);
    });
  }

  /** Whether what was typed in is no target, which the verdict says. */
  get wrong(): boolean {
    return this.field.getAttribute("aria-invalid") === "true";
  }

  /** Said aloud when the analyst asks by changing the target, not whenever somebody answers. */
  speak(): void {
    this.verdict.setAttribute("aria-live", document.activeElement === this.field ? "polite" : "off");
  }
}
