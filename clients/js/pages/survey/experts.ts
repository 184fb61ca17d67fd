/** What only some people want to know, in one fold: everything with a number or a term of its own. */
import { type Child, h } from "../dom.js";
import type { Key, Texts } from "../texts.js";

/** Something in the fold, under its heading. */
export interface Section {
  readonly head: Key;
  readonly parts: readonly Child[];
}

export const experts = (say: Texts, ...sections: readonly (Section | false | null)[]): HTMLElement =>
  h(
    "details",
    { class: "experts" },
    h("summary", {}, say.t("experts")),
    ...sections.flatMap((each) => (each ? [h("section", {}, h("p", {}, h("strong", { class: "head" }, say.t(each.head))), ...each.parts)] : [])),
  );
