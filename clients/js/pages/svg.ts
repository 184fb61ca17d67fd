/** Drawings as elements. Positions are attributes, often in percent of the width, so that a page needs no inline styles. */
import { visible } from "./dom.js";

type Attributes = Record<string, string | number>;

/** Set the attributes that differ. */
export function place(element: Element, attributes: Attributes): void {
  for (const [key, value] of Object.entries(attributes)) if (element.getAttribute(key) !== String(value)) element.setAttribute(key, String(value));
}

/** An element of a drawing. */
export function svg<K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: (Node | string)[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  place(element, attributes);
  element.append(...children.map((child) => (typeof child === "string" ? visible(child) : child)));
  return element;
}

/** A position in percent, without digits that no screen shows. */
export const across = (part: number): string => `${Number((100 * part).toFixed(3))}%`;
