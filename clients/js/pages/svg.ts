/** Positions in drawings. They are attributes, often in percent of the width, so that a page needs no inline styles. */

/** Set the attributes that differ. */
export function place(element: Element, attributes: Record<string, string | number>): void {
  for (const [key, value] of Object.entries(attributes)) if (element.getAttribute(key) !== String(value)) element.setAttribute(key, String(value));
}

/** A position in percent, without digits that no screen shows. */
export const across = (part: number): string => `${Number((100 * part).toFixed(3))}%`;
