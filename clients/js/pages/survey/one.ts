/** A study of one question: how much protection, which answer, what is sensitive to oneself, and a ticket; then what will leave. */
import { explain, price, type Report, type Study } from "../../src/index.js";
import { inputOf } from "../../src/report.js";
import { type Child, fill, h } from "../dom.js";
import { itemName } from "../names.js";
import { alike } from "./alike.js";
import { asker, whomToAsk } from "./asker.js";
import { beyond, given, overCap } from "./budget.js";
import { preparingError } from "./errors.js";
import { experts, type Section } from "./experts.js";
import type { Screen } from "./frame.js";
import { isTicket, levelFieldset } from "./levels.js";
import { type Marking, marksFieldset } from "./marks.js";
import { fixedNames, guarantee, isOpen, levelWords, oddsTable } from "./one_guarantee.js";
import { type Own, reportPanel, shows } from "./one_review.js";
import { howItWorks } from "./pictures.js";
import { type Picker, pickerFor, type Value } from "./pickers.js";
import { Steps } from "./steps.js";
import type { Flow, Sending } from "./survey.js";
import { sendOrBack } from "./words.js";

export class OneQuestion implements Flow {
  private level: string;
  private value: Value | null = null;
  private typed = "";
  private reports: readonly Report[] | null = null;
  private picker: Picker | null = null;
  private marking: Marking | null = null;
  private shown: ReadonlySet<number>;
  private readonly steps: Steps;

  constructor(
    private readonly study: Study,
    private readonly survey: Sending,
  ) {
    this.steps = new Steps(survey.setting.history, study.url || study.fingerprint, "form", (at) => this.go(at));
    this.level = (study.blocks.find(({ promised }) => promised) ?? study.blocks[0]!).level;
    this.shown = this.openCodes();
  }

  readonly thanks = (): Child => null;
  readonly unopened = (): Screen => ({ heading: this.frame.say.t("closed"), parts: [h("p", {}, this.frame.say.sentences(this.frame.say.t("closed_explained"), this.frame.say.t("closed_next"))), ...whomToAsk(this.study, this.frame)] });
  readonly panel = (reports: readonly Report[], sent: boolean, more: Section): Child[] => reportPanel(this.study, reports, this.frame.say, { sent, more });

  readonly shows = (reports: readonly Report[]): boolean => shows(this.study, reports);

  private get frame() {
    return this.survey.setting.frame;
  }

  private get levels(): string[] {
    return this.study.blocks.map(({ level }) => level);
  }

  private get asksTicket(): boolean {
    return this.survey.setting.invited && this.survey.setting.ticket === "";
  }

  drop(): void {
    [this.value, this.typed, this.reports] = [null, "", null];
  }

  readonly release = (): void => undefined;
  readonly hold = (): void => undefined;

  open(focus = true): void {
    const { device } = this.survey.setting;
    const price = (level = "") => this.price(level);
    if (overCap(device, this.frame, this.study, this.levels, price)) {
      return this.frame.show(() => (overCap(device, this.frame, this.study, this.levels, price)!), { focus });
    }
    this.steps.replace("form");
    this.go("form", focus);
  }

  private go(at: string, focus = false): void {
    const { device } = this.survey.setting;
    if (device.optedOut || device.status(this.study).state !== "none") return this.survey.done();
    if (at === "review" && this.value !== null) return void this.review(this.study.domain.text(this.code()!));
    this.reports = null;
    this.frame.hush();
    this.frame.show(() => this.form(), { focus });
  }

  refresh(): void {
    if (this.reports) return;
    this.picker?.refresh();
    this.marking?.refresh();
  }

  private price(level: string) {
    return price(this.study, { level });
  }

  private tag(code: number): string | undefined {
    const marks = this.survey.setting.device.marks(this.study);
    return Object.entries(marks).find(([, items]) => items.some((item) => this.study.domain.code(item) === code))?.[0];
  }

  private protects(code: number): boolean {
    const { promised } = this.study.blocks.find(({ level }) => level === this.level)!;
    return promised !== null && !["ldp", "lip", "minid"].includes(promised.notion) && promised.sensitive(code);
  }

  /** Whether some reports of the level show an answer that the person didn't mark. */
  private mayShow(code: number): boolean {
    return this.tag(code) === undefined && this.shown.has(code);
  }

  /** The answers that some reports show, if others are protected. */
  private openCodes(): ReadonlySet<number> {
    const { promised } = this.study.blocks.find(({ level }) => level === this.level)!;
    return new Set(promised ? explain(this.study, { level: this.level }).odds.flatMap(({ shown, inputs }) => (shown ? inputs : [])) : []);
  }

  private code(): number | null {
    return this.value === null ? null : this.study.domain.code(this.value);
  }

  private form(): Screen {
    const { study, frame, frame: { say } } = this;
    const { device, again } = this.survey.setting;
    const [promise, fold] = [h("div"), h("div")];
    const tell = () => {
      fill(promise, guarantee(study, this.level, say), beyond(device, say, this.price(this.level)));
      fill(fold, experts(say, oddsTable(study, this.level, say), given(device, say, this.price(this.level), !!again)));
    };
    const picker = (this.picker = pickerFor({
      domain: study.domain,
      say,
      legend: say.t("your_answer"),
      given: this.value,
      extras: [],
      name: (code) => itemName(study.domain, code, say),
      called: (text) => text,
      about: { protects: (code) => this.protects(code), shows: (code) => this.mayShow(code), tag: (code) => this.tag(code) },
      tags: study.tags,
      id: (name) => name,
      changed: () => {
        this.frame.settle();
        this.value = picker.value();
        this.marking?.refresh();
        clear.hidden = false;
      },
    }));
    this.marking = study.tags.length ? marksFieldset(study, device, frame, () => this.code(), (code) => this.tag(code), () => picker.refresh()) : null;
    const stored = this.value !== null || this.steps.returning || Object.keys(device.marks(study)).length > 0;
    const clear = h("button", { type: "button", class: "slight", id: "clear", hidden: !stored, click: () => void this.survey.clear("cleared") }, say.t("clear_looked_at"));
    const ticket = h("input", { type: "text", id: "ticket", autocomplete: "off", spellcheck: "false", value: this.typed, input: () => (this.typed = ticket.value) });
    const fixed = fixedNames(study, this.level, say);
    const levels = this.levels.map((level) => [level, level, levelWords(study, level, say)] as const);
    tell();
    const changed = (level: string) => {
      this.level = level;
      this.shown = this.openCodes();
      tell();
      picker.refresh();
    };
    const form = h(
      "form",
      { submit: (event) => (event.preventDefault(), this.chosen(picker, ticket)), novalidate: true },
      levels.length > 1 && levelFieldset(levels, this.level, say, changed),
      picker.element,
      this.marking?.element,
      this.asksTicket && h("p", {}, h("label", { for: "ticket" }, say.t("ticket")), ticket),
      promise,
      h("p", { class: "actions" }, h("button", { type: "submit", class: "main" }, say.t("see_what_is_sent"))),
      h("p", { class: "soft small" }, say.t("nothing_sent_yet")),
    );
    return { parts: [...asker(study, frame), h("p", { class: "lead" }, say.t(isOpen(study, this.level) || fixed ? "how_report_mixed" : "lead")), howItWorks(say, fixed), form, fold, h("p", {}, clear)] };
  }

  private chosen(picker: Picker, ticket: HTMLInputElement): void {
    this.value = picker.value();
    const doubt = picker.doubt?.();
    if (this.value === null) this.frame.wrong(picker.element.querySelector<HTMLElement>("input, select, [tabindex='0']"), picker.missing);
    else if (doubt) this.frame.wrong(picker.element.querySelector<HTMLElement>("input"), ...doubt);
    else if (this.asksTicket && !isTicket(this.typed.trim())) this.frame.wrong(ticket, "missing_ticket");
    else this.steps.push("review");
  }

  private async review(item: string): Promise<void> {
    const { device } = this.survey.setting;
    try {
      this.reports = await device.prepare(this.study, item, { level: this.level });
      this.frame.hush();
      const input = inputOf(this.study, item, device.marks(this.study));
      const own = { code: this.code()!, input, others: alike(this.study, this.reports, input) };
      this.frame.show(() => this.reviewed(this.reports!, own));
    } catch (error) {
      this.frame.wrong(null, preparingError(error, device, this.study, this.level));
    }
  }

  private reviewed(reports: readonly Report[], own: Own): Screen {
    const { say } = this.frame;
    const ticket = this.typed.trim() || this.survey.setting.ticket;
    const send = () => void this.survey.send(reports, ticket);
    return { heading: say.t("this_will_leave"), parts: [...reportPanel(this.study, reports, say, { ticket, own }), ...sendOrBack(say, "send", this.shows(reports), send, () => this.steps.back("form"))] };
  }
}
