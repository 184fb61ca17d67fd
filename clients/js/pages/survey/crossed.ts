/** Crossed answers: a label on each axis, by buttons if there are few, and by a menu if there are many. */
import { h, visible } from "../dom.js";
import { type Asked, field, type Picker, SHORT } from "./pickers.js";

export function axesPicker(asked: Asked): Picker {
  const { domain, say, id, changed, called } = asked;
  const { axes } = domain;
  const given = asked.given === null ? null : domain.places(domain.code(asked.given));
  const chosen: (number | null)[] = axes.map((_, k) => given?.[k] ?? null);
  const label = (k: number, place: number) => visible(called(String(axes[k]!.labels[place]!)));
  const parts = axes.map(({ name, labels }, k) => {
    const pick = (place: number | null) => ((chosen[k] = place), changed());
    if (labels.length > SHORT) {
      const menu = h("select", { id: id(`axis-${k}`), change: () => pick(menu.value === "" ? null : Number(menu.value)) });
      menu.append(h("option", { value: "" }, say.t("choose_menu")));
      for (const place of labels.keys()) menu.append(h("option", { value: place }, label(k, place)));
      menu.value = chosen[k] === null ? "" : String(chosen[k]);
      return h("p", {}, h("label", { for: id(`axis-${k}`) }, called(name)), menu);
    }
    const choices = [...labels.keys()].map((place) => {
      const input = h("input", { type: "radio", name: id(`axis-${k}`), value: place, change: () => pick(place) });
      input.checked = chosen[k] === place;
      return h("label", { class: "choice" }, input, h("span", { dir: "auto" }, label(k, place)));
    });
    return h("fieldset", { class: "inner" }, h("legend", {}, called(name)), h("div", { class: "choices" }, ...choices));
  });
  return {
    element: field(asked, ...parts),
    missing: "missing_choice",
    value: () => (chosen.includes(null) ? null : domain.text(domain.code(chosen.map((place, k) => axes[k]!.labels[place!]!)))),
    refresh: () => undefined,
    clear: () => undefined,
  };
}
