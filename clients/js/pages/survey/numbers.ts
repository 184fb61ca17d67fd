/** Ways to choose on an ordered domain: a number is typed or chosen on a slider, a scale is a row of buttons. */
import type { Study } from "../../src/index.js";
import { h, visible } from "../dom.js";
import { itemName } from "../items.js";
import { type About, CHOOSE, type Picker } from "./pickers.js";

/** A number, in a field and on a slider that follow each other. The range that it counts as is shown below. */
export function numberPicker(study: Study, changed: () => void): Picker {
  const axis = study.domain.axes[0]!;
  const edges = axis.edges!;
  const finite = edges.filter((edge) => Number.isFinite(edge));
  const [low, high] = [finite[0]!, finite.at(-1)!];
  const shown = (value: number) => value.toLocaleString("en", { useGrouping: false, maximumSignificantDigits: 12 });
  const whole = axis.whole || finite.every((edge) => Number.isInteger(edge));
  let value: number | null = null;
  const field = h("input", { type: "number", id: "number", step: "any", inputmode: whole && low >= 0 ? "numeric" : "decimal", autocomplete: "off", input: () => set(field.valueAsNumber, field) });
  const slider = h("input", { type: "range", id: "slider", min: low, max: high, step: whole ? 1 : (high - low) / 1000, "aria-label": "The same on a slider", input: () => set(slider.valueAsNumber, slider) });
  const counts = h("p", { class: "chosen", id: "counts", role: "status" });
  const set = (now: number, from: HTMLInputElement) => {
    value = Number.isFinite(now) ? now : null;
    if (from === slider) field.value = shown(now);
    else if (value !== null) slider.value = String(value);
    counts.textContent = value === null ? "" : said(value);
    changed();
  };
  const said = (now: number) => {
    const name = itemName(study, study.domain.code(now));
    const clipped = now < edges[0]! ? `Everything below ${shown(low)} counts as ${shown(low)}. ` : now > edges.at(-1)! ? `Everything above ${shown(high)} counts as ${shown(high)}. ` : "";
    return `${clipped}Your answer counts as ${name}.`;
  };
  return {
    element: h(
      "fieldset",
      { id: "answer" },
      h("legend", {}, "Your answer"),
      h("p", {}, h("label", { for: "number" }, `A number (${shown(low)} to ${shown(high)})`), field),
      slider,
      h("p", { class: "edge soft small", "aria-hidden": "true" }, h("span", {}, shown(low)), h("span", {}, shown(high))),
      counts,
    ),
    value: () => (value === null ? null : study.domain.code(value)),
    missing: "Enter a number first.",
    refresh: () => undefined,
  };
}

/** The labels of a scale beside each other, in their order. */
export function scalePicker(study: Study, about: About, changed: () => void): Picker {
  const { labels } = study.domain.axes[0]!;
  let chosen: number | null = null;
  const row = h("div", { class: "scale" });
  row.style.setProperty("--steps", String(labels.length));
  const draw = () =>
    row.replaceChildren(
      ...labels.map((label, code) => {
        const input = h("input", { type: "radio", name: "item", value: code, change: () => ((chosen = code), changed()) });
        input.checked = chosen === code;
        const tag = about.tag(code);
        return h("label", { class: "step" }, input, h("span", {}, visible(String(label))), about.protects(code) && h("span", { class: "badge" }, "protected"), tag && h("span", { class: "badge own" }, tag));
      }),
    );
  draw();
  return {
    element: h("fieldset", { id: "answer" }, h("legend", {}, "Your answer"), row),
    value: () => chosen,
    missing: CHOOSE,
    refresh: draw,
  };
}
