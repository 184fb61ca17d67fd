/** Places as numbers, one for each axis: below a grid, and for grids that are too fine, or have too many axes, to be clicked. */
import type { Domain, Place } from "../../src/index.js";
import { UNITS } from "../../src/maps.js";
import { h } from "../dom.js";
import { axisName, onEarth, plainNumber } from "../names.js";
import { type Asked, field, type Picker } from "./pickers.js";
import { placeSearch } from "./place_search.js";

export interface Fields {
  readonly parts: readonly (HTMLElement | false)[];
  /** Whether something was typed, and whether nothing is missing. */
  readonly begun: boolean;
  readonly complete: boolean;
  /** The number of the cell; null if the numbers are none of a place. */
  code(): number | null;
  fill(values: readonly number[] | null): void;
}

/** A field for each axis. */
export function coordinateFields({ domain, say, called, id }: Asked, typed: () => void): Fields {
  const fields = domain.axes.map((axis, k) => {
    const [low, high] = axis.bounds!.map((end) => plainNumber(end, say).replace("-", "−")) as [string, string];
    const input = h("input", { type: "number", id: id(`axis-${k}`), min: axis.bounds![0], max: axis.bounds![1], step: "any", input: typed });
    const label = say.t("coordinate", { name: axisName(axis, say, called), low, high });
    return { name: axis.name, input, part: h("p", {}, h("label", { for: id(`axis-${k}`) }, label), input) };
  });
  return {
    parts: [onEarth(domain) && h("p", { class: "soft small" }, say.t("degrees_how")), ...fields.map(({ part }) => part)],
    get begun() {
      return fields.some(({ input }) => input.value !== "");
    },
    get complete() {
      return fields.every(({ input }) => input.value !== "");
    },
    code() {
      try {
        return domain.code(Object.fromEntries(fields.map(({ name, input }) => [name, input.valueAsNumber])));
      } catch {
        return null;
      }
    },
    fill(values) {
      fields.forEach(({ input }, k) => (input.value = values ? String(+values[k]!.toPrecision(12)) : ""));
    },
  };
}

/** Where a place of the map lies on the axes. */
const pointOf = ({ axes }: Domain, { x, y }: Place): number[] =>
  [UNITS - y, x].map((units, k) => axes[k]!.bounds![0] + ((axes[k]!.bounds![1] - axes[k]!.bounds![0]) * Math.min(units, UNITS - 1)) / UNITS);

export function coordinates(asked: Asked): Picker {
  const { domain, say, id, changed, given } = asked;
  const said = h("p", { class: "chosen", role: "status" });
  const fields = coordinateFields(asked, () => typed());
  const typed = () => {
    const code = fields.complete ? fields.code() : null;
    said.textContent = code !== null ? say.t("grid_chosen", { place: asked.name(code) }) : fields.complete ? say.t("missing_place") : "";
    changed();
  };
  if (given !== null) {
    fields.fill(domain.places(domain.code(given)).map((cell, k) => cellMiddle(domain, k, cell)));
    said.textContent = say.t("grid_chosen", { place: asked.name(domain.code(given)) });
  }
  const places = domain.map?.places ?? [];
  const search = places.length > 0 && placeSearch(places, say, id, (place) => (fields.fill(pointOf(domain, place)), typed()));
  return {
    element: field(asked, search, ...fields.parts, said),
    missing: "missing_place",
    value() {
      const code = fields.complete ? fields.code() : null;
      return code === null ? null : domain.text(code);
    },
    refresh: () => undefined,
    clear: () => undefined,
  };
}

const cellMiddle = ({ axes }: Domain, k: number, cell: number): number => {
  const [low, high] = axes[k]!.bounds!;
  return low + ((high - low) / axes[k]!.labels.length) * (cell + 0.5);
};
