/** The first screen of a questionnaire: who asks and why, what happens to the answers, consent, and how much protection one wants. */
import { type Device, price, type Questionnaire } from "../../src/index.js";
import { type Child, h } from "../dom.js";
import type { Texts } from "../texts.js";
import { askedAt, asksOthers, reportedAt } from "./asking.js";
import { beyond, given } from "./budget.js";
import { experts } from "./experts.js";
import { isTicket, levelFieldset } from "./levels.js";
import { called, ownParagraphs, ownSpan } from "./own.js";
import { howItWorks } from "./pictures.js";
import { fixedNames, fixedOf, guarantee, levelWords, openness, partsAt } from "./several_guarantee.js";

export interface StartOptions {
  readonly study: Questionnaire;
  readonly device: Device;
  /** Whether several people use the device. */
  readonly shared: boolean;
  readonly say: Texts;
  /** Who asks, and how to reach them. */
  readonly who: readonly Child[];
  readonly level: string;
  readonly consented: boolean;
  /** Questions were drawn already. */
  readonly begun: boolean;
  /** What there is to say about answers that were given already, if there are any. */
  readonly kept: HTMLElement | null;
  /** What was typed as a ticket; null if none is asked for. */
  readonly ticket: string | null;
  readonly keeping: HTMLElement | false;
  leveled(level: string): void;
  agreed(consented: boolean): void;
  typed(ticket: string): void;
  go(): void;
  clear(): void;
  wrong(at: HTMLElement, key: "missing_consent" | "missing_ticket"): void;
}

const HOW_REPORT = { none: "how_report", some: "how_report_mixed", all: "how_report_clear" } as const;

export function startScreen(options: StartOptions): Child[] {
  const { study, device, say, level } = options;
  const { texts, questions, levels } = study;
  const [least, most] = reportedAt(study, level);
  const everything = least === questions.length;
  const how = everything ? "how_everything" : study.ask === "all" ? "how_all" : "how_drawn";
  const asked = askedAt(study, level);
  const some = least === most ? say.number(most) : say.t("range", { low: least, high: most });
  const counting = how === "how_drawn" ? asksOthers(study, level) && say.t("how_reported", { some }) : how === "how_all" && say.t(least === most ? "how_many" : "how_many_about", { low: least, count: most });
  const depends = questions.some(({ after }) => Object.keys(after).length) && say.t("how_depends");
  const first = how === "how_drawn" && asked === questions.length ? say.t("how_drawn_all", { count: asked }) : say.t(how, how === "how_drawn" ? { count: asked, all: questions.length } : { count: questions.length });
  const steps = [say.sentences(first, counting), depends, say.t(HOW_REPORT[openness(study)])].filter((step) => step !== false);
  const box = h("input", { type: "checkbox", id: "consent", change: () => options.agreed(box.checked) });
  box.checked = options.consented;
  const ticket = h("input", { type: "text", id: "ticket", autocomplete: "off", spellcheck: "false", value: options.ticket ?? "", input: () => options.typed(ticket.value) });
  const submit = (event: Event) => {
    event.preventDefault();
    if (texts.consent && !box.checked) options.wrong(box, "missing_consent");
    else if (options.ticket !== null && !isTicket(ticket.value.trim())) options.wrong(ticket, "missing_ticket");
    else options.go();
  };
  const choices = levels.map(({ name }) => [name, called(study, say)(name), levelWords(study, name, say)] as const);
  const note = options.begun ? say.t("level_fixed") : say.t("level_final", { start: say.t("start") });
  return [
    ...ownParagraphs(texts.introduction, say),
    ...options.who,
    h(
      "form",
      { submit, novalidate: true },
      h("div", { class: "card" }, h("strong", { class: "head" }, say.t("how_it_works")), h("ul", { class: "plain" }, ...steps.map((step) => h("li", {}, step))), openness(study) !== "all" && howItWorks(say, fixedNames(fixedOf(study, partsAt(study, level), say), say))),
      levels.length > 1 && levelFieldset(choices, level, say, options.leveled, { fixed: options.begun, note }),
      guarantee(study, level, say),
      beyond(device, say, price(study, { level })),
      texts.consent && h("label", { class: "choice tall" }, box, h("span", {}, h("strong", { class: "head" }, say.t("consent")), ownSpan(texts.consent, say))),
      options.ticket !== null && h("p", {}, h("label", { for: "ticket" }, say.t("ticket")), ticket),
      options.keeping,
      options.kept,
      h(
        "p",
        { class: "actions" },
        options.kept && h("button", { type: "button", id: "clear", click: options.clear }, say.t("clear_answers")),
        h("button", { type: "submit", class: "main", id: "start" }, say.t(options.kept ? "resume" : "start")),
      ),
      h("p", { class: "soft small" }, say.t("nothing_sent_yet")),
    ),
    experts(say, given(device, say, price(study, { level }), options.shared)),
  ];
}
