/** Elements without innerHTML: texts stay texts. */
export type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

/** A text as people may see it: controls, and marks that turn the text around them, are written as in JSON. Line breaks stay. */
export const visible = (text: string): string =>
  text.replace(
    /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const seen = (children: readonly Child[]): (Node | string)[] =>
  children
    .filter((child): child is Node | string => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === "string" ? visible(child) : child));

/** Browsers write the state of these to files on disk, unless autocomplete is off. */
const CONTROLS = ["form", "input", "select", "textarea"];

/** An element with its attributes (functions are listeners) and its children. */
export function h<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  if (CONTROLS.includes(name)) element.setAttribute("autocomplete", "off");
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, key === "value" ? String(value) : visible(String(value)));
  }
  element.append(...seen(children));
  return element;
}

/** An element of a drawing. Its look comes from attributes and style sheets: pages allow no inline styles. */
export function s<K extends keyof SVGElementTagNameMap>(name: K, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.append(...seen(children));
  return element;
}

/** The element with this id, which the page's HTML has. */
export function by<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found as T;
}

/** Put children in place of what an element holds. */
export const fill = (element: Element, ...children: Child[]): void =>
  element.replaceChildren(...seen(children));
