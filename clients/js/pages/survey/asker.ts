/** Who asks, and whom to ask: the people whom a study names, those who run the site, or those from whom the link came. */
import type { Questionnaire, Study } from "../../src/index.js";
import { h } from "../dom.js";
import type { Frame } from "./frame.js";
import { own, ownSpan } from "./own.js";

type Asking = Pick<Frame, "say" | "contact">;

/** Who asks, and how to reach them: by the contact of the site, if the study has none of its own. */
export function asker(study: Study | Questionnaire, { say, contact }: Asking): HTMLElement[] {
  const { organisation, contact: mine } = "questions" in study ? study.texts : {};
  const line = (key: "asked_by" | "contact", node: Node) => {
    const [before, after] = say.t(key, { organisation: "\n", contact: "\n" }).split("\n");
    return h("p", { class: "soft small" }, before, node, after);
  };
  const found = mine ? own(mine, say) : contact;
  const link = /^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(found) ? `mailto:${found}` : /^https?:\/\/\S+$/.test(found) && found;
  const node = () => (link ? h("a", { href: link, dir: "auto", rel: "noreferrer" }, found) : ownSpan(mine ?? { "": found }, say));
  return [...(organisation ? [line("asked_by", ownSpan(organisation, say))] : []), ...(found ? [line("contact", node())] : [])];
}

/** Whom to ask: the people whom the study or the site names, or those from whom the link came. */
export function whomToAsk(study: Study | Questionnaire, frame: Asking): HTMLElement[] {
  const named = asker(study, frame);
  return named.length ? named : [h("p", { class: "soft small" }, frame.say.t("ask_senders"))];
}
