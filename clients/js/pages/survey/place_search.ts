/** A field that finds places by their names: a combobox with a list below it. */
import type { Place } from "../../src/index.js";
import { h, visible } from "../dom.js";
import type { Texts } from "../texts.js";

/** Names that are listed. */
const MOST = 8;

/** A text without accents and capitals. */
const plain = (text: string, say: Texts): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase(say.language);

export function placeSearch(places: readonly Place[], say: Texts, id: (name: string) => string, chosen: (place: Place) => void): HTMLElement {
  let [found, at]: [Place[], number] = [[], -1];
  const list = h("ul", { role: "listbox", id: id("places"), class: "found", "aria-label": say.t("grid_search"), hidden: true });
  const input = h("input", {
    type: "text",
    role: "combobox",
    id: id("place"),
    spellcheck: "false",
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": id("places"),
    input: () => look(),
    keydown: (event) => pressed(event as KeyboardEvent),
    blur: () => close(),
  });
  const none = h("span", { class: "unseen", role: "status" });
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  };
  const stand = (place: number) => {
    at = (place + found.length) % found.length;
    [...list.children].forEach((each, k) => each.setAttribute("aria-selected", String(k === at)));
    input.setAttribute("aria-activedescendant", id(`place-${at}`));
    list.children[at]!.scrollIntoView({ block: "nearest" });
  };
  const take = (place: Place) => {
    input.value = visible(place.name);
    close();
    chosen(place);
  };
  const look = () => {
    const wanted = plain(input.value.trim(), say);
    const starts = ({ name }: Place) => plain(name, say).startsWith(wanted);
    const fits = places.filter(({ name }) => wanted && plain(name, say).includes(wanted));
    found = [...fits.filter(starts), ...fits.filter((each) => !starts(each))].slice(0, MOST);
    close();
    none.textContent = wanted && !found.length ? say.t("nothing_found") : "";
    none.className = none.textContent ? "soft small" : "unseen";
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(found.length > 0));
    list.replaceChildren(
      ...found.map((place, k) =>
        // before the field loses the focus
        h("li", { role: "option", id: id(`place-${k}`), dir: "auto", "aria-selected": "false", mousedown: (event) => (event.preventDefault(), take(place)) }, place.name),
      ),
    );
  };
  const pressed = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "Escape" && !list.hidden) close();
    else if (key === "Enter") {
      if (found.length && !list.hidden) take(found[Math.max(0, at)]!);
    } else if ((key === "ArrowDown" || key === "ArrowUp") && found.length) {
      if (list.hidden) look();
      stand(key === "ArrowDown" ? at + 1 : at < 0 ? -1 : at - 1);
    } else return;
    event.preventDefault();
  };
  return h("div", { class: "search" }, h("label", { for: id("place") }, say.t("grid_search")), input, list, none);
}
