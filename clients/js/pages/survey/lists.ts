/** A list of answers of which one is chosen, or several; long lists have a search. */
import { h } from "../dom.js";
import { type Asked, badges, field, type Picker, SHORT } from "./pickers.js";

/** Items of a list that are shown at a time. */
const SHOWN = 60;

export function listPicker(asked: Asked): Picker {
  const { domain, say, extras, several, id, changed } = asked;
  const texts = [...Array.from({ length: domain.size }, (_, code) => domain.text(code)), ...extras];
  const names = texts.map((_, code) => asked.name(code));
  const codeOf = (text: string) => texts.indexOf(text);
  const chosen = new Set((Array.isArray(asked.given) ? asked.given : asked.given === null ? [] : [String(asked.given)]).map(codeOf).filter((code) => code >= 0));
  const [list, note] = [h("div", { class: "choices" }), h("p", { class: "soft small", role: "status" })];
  const [cap, full] = [several?.atMost ?? Infinity, h("p", { class: "small full", role: "status" })];
  const refusal = several?.refusal === undefined ? -1 : codeOf(several.refusal);
  const search = h("input", { type: "search", id: id("search"), autocomplete: "off", input: () => draw() });

  const choose = (code: number, on: boolean) => {
    if (!several || code === refusal) chosen.clear();
    else chosen.delete(refusal); // a refusal stands alone
    if (on) chosen.add(code);
    else chosen.delete(code);
    settle();
    changed();
  };
  /** Ticks as they are, and no more of them than are possible. */
  const settle = () => {
    const most = several && chosen.size >= cap && !chosen.has(refusal);
    for (const input of list.querySelectorAll("input")) {
      const code = Number(input.value);
      input.checked = chosen.has(code);
      input.disabled = Boolean(most) && !input.checked && code !== refusal;
    }
    full.textContent = most ? say.t("cap_reached", { count: cap }) : "";
  };
  const choice = (code: number) => {
    const input = h("input", { type: several ? "checkbox" : "radio", name: id("item"), value: code, change: () => choose(code, input.checked) });
    return h("label", { class: code >= domain.size ? "choice extra" : "choice" }, input, h("span", { dir: "auto" }, names[code]!), ...badges(asked, code));
  };
  const draw = () => {
    const wanted = search.value.trim().toLocaleLowerCase(say.language);
    const found = names.flatMap((name, code) => (name.toLocaleLowerCase(say.language).includes(wanted) || code >= domain.size ? [code] : []));
    const shown = found.filter((code, k) => k < SHOWN || code >= domain.size);
    shown.unshift(...[...chosen].filter((code) => !shown.includes(code)));
    list.replaceChildren(...shown.map(choice));
    settle();
    const [fits, more] = [found.length - extras.length, found.length - found.filter((code, k) => k < SHOWN || code >= domain.size).length];
    note.textContent = fits <= 0 ? say.t("nothing_found") : more ? say.t("more_to_find", { count: more }) : "";
  };
  draw();
  const long = domain.size > SHORT;
  if (long) list.classList.add("long");
  const hint = several && say.t(cap === Infinity ? "choose_any" : "choose_up_to", { count: cap });
  return {
    element: field(
      asked,
      hint && h("p", { class: "soft small" }, hint),
      long && h("p", {}, h("label", { for: id("search") }, say.t("search", { count: domain.size })), search),
      list,
      long && note,
      several && full,
    ),
    value: () => (several ? [...chosen].sort((a, b) => a - b).map((code) => texts[code]!) : chosen.size ? texts[[...chosen][0]!]! : null),
    missing: "missing_choice",
    refresh: draw,
    clear: () => (chosen.clear(), settle()),
  };
}
