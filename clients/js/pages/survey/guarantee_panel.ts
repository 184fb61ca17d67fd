/** The guarantee as people read it: open before the first answer, and afterwards one line that opens. */
import { beliefs, isWeak, type Raised, raisedTo } from "../beliefs.js";
import { type Child, h } from "../dom.js";
import type { Texts } from "../texts.js";

/** What a guarantee limits, in one line, and whether that is weak. Without one, answers are sent as they are. */
export function guaranteeLine(raised: Raised | undefined, say: Texts): HTMLElement {
  const weak = !raised || isWeak(raised);
  const words = raised ? say.t(weak ? "level_weak" : "level_raised", { chance: raisedTo(raised, say) }) : say.t("level_open");
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
  /** Only some answers are protected, and the one that was given isn't. */
  readonly part?: boolean;
  readonly bare?: boolean;
}

/** The guarantee with its dots. `raised` is missing if there is nothing to draw. */
export function guaranteePanel(raised: Raised | undefined, say: Texts, { words, below, none = false, id, folded = false, part = false, bare = false }: PanelOptions): HTMLElement {
  const weak = none || (raised && isWeak(raised));
  const look = { class: `notice${none ? "" : " guarantee"}${weak ? " warn" : ""}`, id };
  const head = h("strong", { class: "head" }, say.t(part ? "guarantee_protected" : "guarantee"));
  if (folded && raised) return h("details", look, h("summary", {}, head, guaranteeLine(raised, say), bare && h("span", { class: "small caution" }, say.t("own_unprotected"))), h("p", {}, ...words), beliefs(raised, say), ...below);
  return h("div", look, head, raised && isWeak(raised) && h("strong", { class: "strength" }, say.t("protection_weak")), h("p", {}, ...words), raised && beliefs(raised, say), ...below);
}
