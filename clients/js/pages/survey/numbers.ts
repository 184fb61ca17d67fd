/** Ways to choose on an ordered domain: a number is typed or chosen on a slider, a scale is a row of buttons. */
import { h } from "../dom.js";
import { clipped, itemName, plainNumber } from "../names.js";
import { type Asked, badges, field, type Picker } from "./pickers.js";

/** A number, in a field and on a slider that follow each other. The range that it counts as is shown below. */
export function numberPicker(asked: Asked): Picker {
  const { domain, say, id, changed } = asked;
  const axis = domain.axes[0]!;
  const edges = axis.edges!;
  const finite = edges.filter((edge) => Number.isFinite(edge));
  const [low, high] = [finite[0]!, finite.at(-1)!];
  const shown = (number: number) => plainNumber(number, say);
  const whole = axis.whole || finite.every((edge) => Number.isInteger(edge));
  let value: number | null = typeof asked.given === "number" ? asked.given : null;
  let meant: number | null = null; // the last number that was handed in: one beyond the ends is asked about once
  const typed = h("input", { type: "number", id: id("number"), step: "any", inputmode: whole && low >= 0 ? "numeric" : "decimal", autocomplete: "off", input: () => set(typed.valueAsNumber, typed) });
  const slider = h("input", { type: "range", id: id("slider"), min: low, max: high, step: whole ? 1 : (high - low) / 1000, "aria-label": say.t("slider"), input: () => set(slider.valueAsNumber, slider) });
  const counts = h("p", { class: "chosen", id: id("counts"), role: "status" });
  const set = (now: number, from: HTMLInputElement) => {
    value = Number.isFinite(now) ? now : null;
    if (from !== typed) typed.value = value === null ? "" : String(+value.toPrecision(12));
    if (from !== slider && value !== null) slider.value = String(value);
    slider.classList.toggle("unset", value === null);
    counts.textContent = broken() ? say.t("missing_whole") : value === null ? "" : said(value);
    if (from !== counts) changed();
  };
  /** Something was typed that isn’t whole, and only whole numbers count. */
  const broken = () => axis.whole && value !== null && !Number.isInteger(value);
  const said = (now: number) => say.t("counts_as", { range: itemName(domain, domain.code(now), say) });
  const refill = () => set(value ?? NaN, counts as HTMLElement as HTMLInputElement);
  refill();
  return {
    element: field(
      asked,
      h("p", {}, h("label", { for: id("number") }, say.t("a_number", { low: shown(low), high: shown(high) })), typed),
      slider,
      h("p", { class: "edge soft small", "aria-hidden": "true" }, h("span", {}, shown(low)), h("span", {}, shown(high))),
      counts,
    ),
    value: () => (broken() ? null : value),
    get missing() {
      return broken() ? "missing_whole" : "missing_number";
    },
    doubt() {
      const beyond = value === null || value === meant ? null : clipped(domain, value, say);
      meant = value;
      return beyond && ["clipped", beyond];
    },
    refresh: () => undefined,
    clear: () => ((value = null), refill()),
  };
}

/** The labels of a scale beside each other, in their order. */
export function scalePicker(asked: Asked): Picker {
  const { domain, id, changed } = asked;
  let chosen: string | null = asked.given === null ? null : String(asked.given);
  const row = h("div", { class: "scale" });
  row.style.setProperty("--steps", String(domain.size));
  const words = Array.from({ length: domain.size }, (_, code) => asked.name(code).split(/[\s-]+/)).flat();
  row.style.setProperty("--least", String(Math.min(14, Math.max(...words.map((word) => word.length)))));
  const draw = () =>
    row.replaceChildren(
      ...Array.from({ length: domain.size }, (_, code) => {
        const text = domain.text(code);
        const input = h("input", { type: "radio", name: id("item"), value: code, change: () => ((chosen = text), changed()) });
        input.checked = chosen === text;
        return h("label", { class: "step" }, input, h("span", { dir: "auto" }, asked.name(code)), ...badges(asked, code));
      }),
    );
  draw();
  return {
    element: field(asked, row),
    value: () => chosen,
    missing: "missing_choice",
    refresh: draw,
    clear: () => ((chosen = null), draw()),
  };
}
