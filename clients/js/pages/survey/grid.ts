/** Places as a grid that can be clicked, and walked with the arrow keys. The first axis runs upwards, as on a map. */
import { h } from "../dom.js";
import { axisName, creditWords, onEarth } from "../names.js";
import type { Key } from "../texts.js";
import { cellOf, isOutside } from "../places.js";
import { coordinateFields } from "./coordinates.js";
import { sheet } from "./map.js";
import { type Asked, field, type Picker } from "./pickers.js";
import { placeSearch } from "./place_search.js";

export function gridPicker(asked: Asked): Picker {
  const { domain, about, say, tags, changed, called, id } = asked;
  const [up, across] = domain.axes as [(typeof domain.axes)[0], (typeof domain.axes)[0]];
  const [rows, columns] = [up.labels.length, across.labels.length];
  const codeAt = (row: number, column: number) => row * columns + column;
  let chosen: number | null = asked.given === null ? null : domain.code(asked.given);
  let current = chosen ?? codeAt(Math.floor(rows / 2), Math.floor(columns / 2));
  const said = h("p", { class: "chosen", role: "status" }, say.t("grid_none"));

  const cells = Array.from({ length: rows * columns }, (_, code) =>
    h("div", { role: "gridcell", class: "cell", tabindex: code === current ? 0 : -1, "data-code": code, "aria-selected": "false" }),
  );
  const name = (code: number) => {
    const tag = about.tag(code);
    const place = about.protects(code) ? say.t("grid_protected", { place: asked.name(code) }) : asked.name(code);
    return tag === undefined ? place : say.t("grid_marked", { place, tag });
  };
  const dress = (code: number) => {
    const cell = cells[code]!;
    const tag = about.tag(code);
    cell.className = ["cell", about.protects(code) && "protected", tag && `tag${tags.indexOf(tag) % 4}`, code === chosen && "on"].filter(Boolean).join(" ");
    cell.setAttribute("aria-label", name(code));
    cell.setAttribute("aria-selected", String(code === chosen));
  };
  /** What is said of the chosen cell. */
  const chosenName = (code: number) => say.t("grid_chosen", { place: isOutside(domain, code) ? say.t("grid_outside", { place: name(code) }) : name(code) });
  const stand = (code: number, focus: boolean) => {
    cells[current]!.tabIndex = -1;
    current = code;
    cells[current]!.tabIndex = 0;
    if (focus) cells[current]!.focus();
  };
  const fields = coordinateFields(asked, () => typed());
  const typed = () => {
    if (!fields.complete) return;
    const code = fields.code();
    if (code !== null) return take(code, false);
    const before = chosen;
    chosen = null;
    if (before !== null) dress(before);
    said.textContent = say.t("missing_place");
    moving.hidden = true;
    changed();
  };
  const choose = (code: number, focus = true) => {
    fields.fill(null);
    take(code, focus);
  };
  const take = (code: number, focus: boolean) => {
    const before = chosen;
    chosen = code;
    if (before !== null) dress(before);
    dress(code);
    stand(code, focus);
    said.textContent = chosenName(code);
    moving.hidden = false;
    changed();
  };
  const moved = (rise: number, right: number): number => {
    const [row, column] = [Math.floor(current / columns) + rise, (current % columns) + right];
    return row < 0 || row >= rows || column < 0 || column >= columns ? current : codeAt(row, column);
  };
  const keys: Record<string, () => number> = {
    ArrowUp: () => moved(1, 0),
    ArrowDown: () => moved(-1, 0),
    ArrowLeft: () => moved(0, -1),
    ArrowRight: () => moved(0, 1),
    Home: () => current - (current % columns),
    End: () => current - (current % columns) + columns - 1,
    PageUp: () => codeAt(rows - 1, current % columns),
    PageDown: () => current % columns,
  };
  const pressed = (event: Event) => {
    const { key } = event as KeyboardEvent;
    if (key === " " || key === "Enter") choose(current);
    else if (keys[key]) stand(keys[key](), true);
    else if (key === "+" || key === "-") map.zoom(key === "+" ? 1 : -1);
    else return;
    event.preventDefault();
  };
  const clicked = (event: Event) => {
    const cell = event.target as HTMLElement;
    const code = cell.dataset["code"];
    if (code === undefined) return;
    const small = (event as PointerEvent).pointerType === "touch" && !map.roomy(cell);
    choose(Number(code));
    if (small) map.show(cell); // a second touch can tell cells apart
  };
  const grid = h("div", { role: "grid", class: "grid", dir: "ltr", "aria-label": say.t("grid", { up: axisName(up, say, called), across: axisName(across, say, called) }), "aria-describedby": id("keys"), click: clicked, keydown: pressed });
  grid.style.setProperty("--columns", String(columns));
  for (let row = rows - 1; row >= 0; row -= 1) grid.append(h("div", { role: "row", class: "cells" }, ...cells.slice(codeAt(row, 0), codeAt(row, columns))));

  const map = sheet(domain, grid, say, () => cells[current]!);
  const places = domain.map?.places ?? [];
  const search = places.length > 0 && placeSearch(places, say, id, (place) => (choose(cellOf(domain, place), false), map.show(cells[current]!), said.scrollIntoView({ block: "nearest" })));
  const nudge = (label: Key, sign: string, rise: number, right: number) =>
    h("button", { type: "button", class: "nudge", "aria-label": say.t(label), click: () => choose(moved(rise, right), false) }, sign);
  /** What cells look like, if some are protected or marked. */
  const legend = () => {
    const looks: [look: string, text: string][] = cells.some((_, code) => about.protects(code)) ? [["protected", say.t("legend_protected")]] : [];
    tags.forEach((tag, k) => looks.push([`tag${k % 4}`, say.t("legend_own", { tag })]));
    if (looks.length) looks.unshift(["on", say.t("legend_chosen")]);
    return looks.length > 0 && h("ul", { class: "legend soft small" }, ...looks.map(([look, text]) => h("li", {}, h("span", { class: `cell ${look}` }), text)));
  };
  const nudges = h("div", { class: "nudges", role: "group", dir: "ltr", "aria-label": say.t("grid_move") }, nudge("grid_left", "←", 0, -1), nudge("grid_up", "↑", 1, 0), nudge("grid_down", "↓", -1, 0), nudge("grid_right", "→", 0, 1));
  const moving = h("div", { class: "moving" }, h("p", { class: "soft small", "aria-hidden": "true" }, say.t("grid_move")), nudges);
  /** What the axes are, where neither a map nor degrees show it. */
  const names = !domain.map && !onEarth(domain) && h("p", { class: "edge soft small", dir: "ltr" }, h("span", {}, `↑ ${axisName(up, say, called)}`), h("span", {}, `${axisName(across, say, called)} →`));
  /** Without a map the numbers come first: no one finds a place in bare cells. */
  const typing = domain.map ? [] : fields.parts;
  const refresh = () => {
    for (const code of cells.keys()) dress(code);
    moving.hidden = chosen === null;
    if (chosen !== null) said.textContent = chosenName(chosen);
  };
  refresh();
  return {
    element: field(
      asked,
      search,
      ...typing,
      h("p", { class: "soft small" }, say.t(search || typing.length ? "grid_or" : "grid_how")),
      names,
      map.element,
      h("div", { class: "below" }, h("p", { class: "soft credit" }, domain.map?.credit ? creditWords(domain.map.credit, say) : ""), map.buttons),
      h("p", { class: "soft small keys", id: id("keys") }, say.t("grid_keys")),
      legend(),
      said,
      moving,
      domain.map && h("details", { class: "typed" }, h("summary", {}, say.t("grid_type")), ...fields.parts),
    ),
    value: () => (chosen === null ? null : domain.text(chosen)),
    get missing() {
      return fields.begun ? "missing_place" : "missing_choice";
    },
    refresh,
    clear: () => undefined,
  };
}
