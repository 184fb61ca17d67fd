/** Places on a grid that is too fine, or has too many axes, to be clicked: a number on each axis. */
import { h } from "../dom.js";
import { axisName, plainNumber } from "../names.js";
import { type Asked, field, type Picker } from "./pickers.js";

export function coordinates(asked: Asked): Picker {
  const { domain, say, id, changed, called } = asked;
  const given = asked.given === null ? null : domain.places(domain.code(asked.given));
  const fields = domain.axes.map((axis, k) => {
    const { name, bounds, labels } = axis;
    const [low, high] = bounds!;
    const input = h("input", { type: "number", id: id(`axis-${k}`), min: low, max: high, step: "any", input: changed });
    if (given) input.value = String(+(low + ((high - low) / labels.length) * (given[k]! + 0.5)).toPrecision(12));
    const label = say.t("coordinate", { name: axisName(axis, say, called), low: plainNumber(low, say), high: plainNumber(high, say) });
    return { name, input, part: h("p", {}, h("label", { for: id(`axis-${k}`) }, label), input) };
  });
  return {
    element: field(asked, ...fields.map(({ part }) => part)),
    missing: "missing_place",
    value() {
      if (fields.some(({ input }) => input.value === "")) return null;
      try {
        return domain.text(domain.code(Object.fromEntries(fields.map(({ name, input }) => [name, input.valueAsNumber]))));
      } catch {
        return null;
      }
    },
    refresh: () => undefined,
    clear: () => undefined,
  };
}
