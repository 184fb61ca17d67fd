/** Places as a grid that can be clicked, and walked with the arrow keys. The first axis runs upwards, as on a map. */
import type { Study } from "../../src/index.js";
import { h } from "../dom.js";
import { itemName, middle } from "../items.js";
import { type About, CHOOSE, type Picker } from "./pickers.js";

export function gridPicker(study: Study, about: About, changed: () => void): Picker {
  const [up, across] = study.domain.axes as [(typeof study.domain.axes)[0], (typeof study.domain.axes)[0]];
  const [rows, columns] = [up.labels.length, across.labels.length];
  const codeAt = (row: number, column: number) => row * columns + column;
  let chosen: number | null = null;
  let current = codeAt(Math.floor(rows / 2), Math.floor(columns / 2));
  const said = h("p", { class: "chosen", role: "status" }, "No place is chosen yet.");

  const cells = Array.from({ length: rows * columns }, (_, code) =>
    h("div", { role: "gridcell", class: "cell", tabindex: code === current ? 0 : -1, "data-code": code, "aria-selected": "false" }),
  );
  const name = (code: number) => {
    const tag = about.tag(code);
    return `${itemName(study, code)}${about.protects(code) ? ", protected" : ""}${tag ? `, marked as ${tag}` : ""}`;
  };
  const dress = (code: number) => {
    const cell = cells[code]!;
    const tag = about.tag(code);
    cell.className = ["cell", about.protects(code) && "protected", tag && `tag${study.tags.indexOf(tag) % 4}`, code === chosen && "on"].filter(Boolean).join(" ");
    cell.setAttribute("aria-label", name(code));
    cell.setAttribute("aria-selected", String(code === chosen));
  };
  const stand = (code: number, focus: boolean) => {
    cells[current]!.tabIndex = -1;
    current = code;
    cells[current]!.tabIndex = 0;
    if (focus) cells[current]!.focus();
  };
  const choose = (code: number, focus = true) => {
    const before = chosen;
    chosen = code;
    if (before !== null) dress(before);
    dress(code);
    stand(code, focus);
    said.textContent = `Chosen: ${name(code)}`;
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
    else return;
    event.preventDefault();
  };
  const clicked = (event: Event) => {
    const code = (event.target as HTMLElement).dataset["code"];
    if (code !== undefined) choose(Number(code));
  };
  const grid = h("div", { role: "grid", class: "grid", "aria-label": `Places by ${up.name} and ${across.name}`, click: clicked, keydown: pressed });
  grid.style.setProperty("--columns", String(columns));
  for (let row = rows - 1; row >= 0; row -= 1) grid.append(h("div", { role: "row", class: "cells" }, ...cells.slice(codeAt(row, 0), codeAt(row, columns))));

  const nudge = (label: string, sign: string, rise: number, right: number) =>
    h("button", { type: "button", class: "nudge", "aria-label": `One place ${label}`, click: () => choose(moved(rise, right), false) }, sign);
  const legend = () => {
    const somewhere = cells.some((_, code) => about.protects(code));
    const entries: [look: string, text: string][] = [["on", "chosen"], ...(somewhere ? [["protected", "protected for everybody"] as [string, string]] : [])];
    study.tags.forEach((tag, k) => entries.push([`tag${k % 4}`, `your own: ${tag}`]));
    return h("ul", { class: "legend soft small" }, ...entries.map(([look, text]) => h("li", {}, h("span", { class: `cell ${look}` }), text)));
  };
  const ends = (axis: typeof up, place: number) => middle(axis.labels.length, axis.bounds!, place);
  const refresh = () => {
    for (const code of cells.keys()) dress(code);
    if (chosen !== null) said.textContent = `Chosen: ${name(chosen)}`;
  };
  refresh();
  return {
    element: h(
      "fieldset",
      { id: "answer" },
      h("legend", {}, "Your answer"),
      h("p", { class: "soft small" }, "Click a place; or walk with the arrow keys and choose with the space bar."),
      h("p", { class: "edge soft small" }, h("span", {}, `${up.name} ${ends(up, rows - 1)}`)),
      grid,
      h("p", { class: "edge soft small" }, h("span", {}, `${up.name} ${ends(up, 0)}`)),
      h("p", { class: "edge soft small" }, h("span", {}, `${across.name} ${ends(across, 0)}`), h("span", {}, `${ends(across, columns - 1)}`)),
      legend(),
      said,
      h("div", { class: "nudges", role: "group", "aria-label": "Move the chosen place" }, nudge("to the left", "←", 0, -1), nudge("up", "↑", 1, 0), nudge("down", "↓", -1, 0), nudge("to the right", "→", 0, 1)),
    ),
    value: () => chosen,
    missing: CHOOSE,
    refresh,
  };
}
