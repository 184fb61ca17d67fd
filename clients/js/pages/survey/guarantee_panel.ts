/** The guarantee as people read it: open before the first answer, and afterwards one line that opens. */
import { beliefs, type Raised, raisedTo, strengthOf } from "../beliefs.js";
import { type Child, h } from "../dom.js";
import type { Texts } from "../texts.js";

const STRENGTHS = { strong: "protection_strong", moderate: "protection_moderate", weak: "protection_weak" } as const;

const strengthName = (raised: Raised, say: Texts): string => say.t(STRENGTHS[strengthOf(raised)]);

/** How strong a guarantee is and what it limits, in one line. Without one, answers are sent as they are. */
export function guaranteeLine(raised: Raised | undefined, say: Texts): HTMLElement {
  const weak = !raised || strengthOf(raised) === "weak";
  const words = raised ? say.t("level_raised", { strength: strengthName(raised, say), chance: raisedTo(raised, say) }) : say.t("level_open");
  return h("span", { class: weak ? "small caution" : "soft small" }, words);
}

interface PanelOptions {
  /** What stands above the dots, and below them. */
  readonly words: readonly Child[];
  readonly below: readonly Child[];
  /** Nothing is guaranteed. */
  readonly none?: boolean;
  readonly id?: string;
  readonly folded?: boolean;
}

/** The guarantee with its dots. `raised` is missing if there is nothing to draw. */
export function guaranteePanel(raised: Raised | undefined, say: Texts, { words, below, none = false, id, folded = false }: PanelOptions): HTMLElement {
  const weak = none || (raised && strengthOf(raised) === "weak");
  const look = { class: `notice${none ? "" : " guarantee"}${weak ? " warn" : ""}`, id };
  const head = h("strong", { class: "head" }, say.t("guarantee"));
  if (folded && raised) return h("details", look, h("summary", {}, head, guaranteeLine(raised, say)), h("p", {}, ...words), beliefs(raised, say), ...below);
  return h("div", look, head, raised && h("strong", { class: "strength" }, strengthName(raised, say)), h("p", {}, ...words), raised && beliefs(raised, say), ...below);
}
