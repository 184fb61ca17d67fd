/** A questionnaire: its first screen, its questions, and what will leave. Where a person is stands in the browser's history. */
import { type Asked, price, type Question, type Questionnaire, type Report } from "../../src/index.js";
import { formNamed } from "../../src/questionnaire.js";
import { type Child, h } from "../dom.js";
import type { Texts } from "../texts.js";
import { answerTo, counting, shownTo } from "./asking.js";
import { asker, whomToAsk } from "./asker.js";
import { overCap } from "./budget.js";
import { type Draft, Drafts } from "./draft.js";
import { preparingError } from "./errors.js";
import type { Section } from "./experts.js";
import type { Screen } from "./frame.js";
import { ownParagraphs } from "./own.js";
import { keeping, pause } from "./pause.js";
import type { Value } from "./pickers.js";
import { allScreen, type Asking, oneScreen } from "./question_screens.js";
import { fixedOf } from "./several_guarantee.js";
import { reportPanel, reviewScreen, shows } from "./several_review.js";
import { startScreen } from "./start.js";
import { Steps } from "./steps.js";
import type { Flow, Sending } from "./survey.js";

const EMPTY = { consented: false, answers: {} };
const [START, ALL, REVIEW] = ["start", "all", "review"] as const;

export class SeveralQuestions implements Flow {
  private readonly drafts: Drafts;
  private readonly steps: Steps;
  private draft: Draft;
  private asked: Asked | null = null;
  private reports: readonly Report[] = [];
  private typed = "";
  /** The person came from the overview to change an answer, and to which question, if all are on one screen. */
  private returning = false;
  private changing: Question | undefined;
  private told = false;

  constructor(
    private readonly study: Questionnaire,
    private readonly survey: Sending,
  ) {
    this.drafts = new Drafts(study, survey.setting.again !== undefined);
    this.steps = new Steps(survey.setting.history, study.url || study.fingerprint, START, (at) => void this.go(at), () => this.save(this.draft));
    this.draft = { ...EMPTY, level: study.levels[0]!.name };
  }

  private get frame() {
    return this.survey.setting.frame;
  }

  private get asksTicket(): boolean {
    return this.survey.setting.invited && this.survey.setting.ticket === "";
  }

  readonly thanks = (say: Texts): Child => (this.study.texts.thanks ? h("div", { class: "thanks" }, ...ownParagraphs(this.study.texts.thanks, say)) : null);
  readonly panel = (reports: readonly Report[], sent: boolean, more: Section): Child[] => reportPanel(this.study, reports[0]!, this.frame.say, { sent, more });

  readonly shows = ([report]: readonly Report[]): boolean => shows(this.study, report!);

  unopened(say: Texts): Screen {
    const { opens, closes } = this.study.dates;
    const early = this.survey.setting.state === "early";
    const words = early ? (opens ? say.t("early_explained", { day: say.day(opens) }) : say.t("early_no_day")) : this.ended(closes) ? say.t("closed_on", { day: say.day(closes!) }) : say.t("closed_explained");
    return { heading: say.t(early ? "early" : "closed"), parts: [h("p", {}, early ? words : say.sentences(words, say.t("closed_next"))), ...(early ? ownParagraphs(this.study.texts.introduction, say) : []), ...whomToAsk(this.study, this.frame)] };
  }

  private ended(closes?: string): boolean {
    return closes !== undefined && closes < new Date().toISOString().slice(0, 10);
  }

  private get levels(): string[] {
    return this.study.levels.map(({ name }) => name);
  }

  /** Why nothing is asked, if nothing more can be given. */
  private get capped() {
    return overCap(this.survey.setting.device, this.frame, this.study, this.levels, (level = "") => price(this.study, { level }));
  }

  /** Show where the person was. */
  open(focus = true): void {
    const { levels } = this;
    if (this.capped) {
      this.drop();
      return this.frame.show(() => (this.capped!), { focus });
    }
    const kept = this.drafts.load();
    if (kept && kept !== "changed") {
      this.draft = kept;
      this.steps.screens = kept.screens ?? [];
    }
    if (!levels.includes(this.draft.level)) this.draft = { ...EMPTY, level: levels[0]! };
    const at = kept && kept !== "changed" ? (this.steps.at ?? START) : START;
    this.steps.replace(at);
    void this.go(at, focus).then(() => kept === "changed" && this.frame.tell("warn", ["changed_meanwhile"]));
  }

  refresh(): void {
    if (this.capped) this.open(false); // what another page does to its own answers doesn't concern this one otherwise
  }

  drop(): void {
    this.draft = { ...EMPTY, level: this.draft.level, begun: Boolean(this.draft.begun) };
    this.reports = [];
    this.steps.screens = [];
    this.drafts.drop();
  }

  release(): void {
    this.drafts.release();
  }

  hold(): void {
    this.save(this.draft);
  }

  private save(draft: Draft): void {
    if (this.survey.setting.device.optedOut) return this.survey.done();
    this.draft = { ...draft, screens: this.steps.screens };
    if (this.drafts.save(this.draft) || this.told) return;
    this.told = true;
    this.frame.tell("warn", ["keep_failed"]);
  }

  private answer({ name }: Question, value: Value | null): void {
    const { [name]: _, ...others } = this.draft.answers;
    this.save({ ...this.draft, answers: value === null ? others : { ...others, [name]: value } });
  }

  /** The questions as they are shown now. */
  private get shown(): Question[] {
    return shownTo(this.study, this.asked?.needed ?? [], this.draft.answers);
  }

  private get answers() {
    return counting(this.shown, this.draft.answers);
  }

  /** Go to a screen, or to the last one before it that there is. */
  private async go(at: string, focus = true): Promise<void> {
    const { device } = this.survey.setting;
    if (device.optedOut || device.status(this.study).state !== "none") return this.survey.done();
    this.frame.hush();
    if (at === START) return this.frame.show(() => this.start(), { focus });
    try {
      this.asked = await device.asked(this.study, { level: this.draft.level });
      const open = this.shown.filter(({ name }) => answerTo(this.draft.answers, name) === undefined);
      if (at === REVIEW && !open.length) return await this.review();
      const target = this.study.paged ? (this.shown.find(({ name }) => `q ${name}` === at) ?? open[0] ?? this.shown.at(-1)!) : undefined;
      const now = target ? `q ${target.name}` : ALL;
      if (now !== at) this.steps.replace(now);
      const { changing } = this;
      this.changing = undefined;
      this.frame.show(() => (target ? oneScreen(target, this.asking()) : allScreen({ ...this.asking(), changing })), { focus });
    } catch (error) {
      this.steps.replace(START);
      this.frame.show(() => this.start(), { focus });
      this.frame.wrong(null, preparingError(error, device, this.study, this.draft.level));
    }
  }

  private start(): Screen {
    const { study, survey: { setting }, frame } = this;
    const kept = Object.keys(this.draft.answers).length > 0 ? h("p", { class: "kept" }) : null;
    const where = () => kept && (kept.textContent = frame.say.t(this.drafts.lasting ? "kept_on_device" : "kept_in_tab"));
    where();
    const options = {
      study,
      device: setting.device,
      shared: Boolean(setting.again),
      say: frame.say,
      who: asker(study, frame),
      level: this.draft.level,
      consented: this.draft.consented,
      begun: Boolean(this.draft.begun),
      kept,
      ticket: this.asksTicket ? this.typed : null,
      keeping: this.keeping(where),
      leveled: (level: string) => {
        this.save({ ...this.draft, level });
        frame.draw();
        frame.app.querySelector<HTMLElement>("input[name=level]:checked")?.focus();
      },
      agreed: (consented: boolean) => this.save({ ...this.draft, consented }),
      typed: (ticket: string) => (this.typed = ticket),
      go: () => void this.begin(),
      clear: () => void this.clear(),
      wrong: (at: HTMLElement, key: "missing_consent" | "missing_ticket") => frame.wrong(at, key),
    };
    return { parts: startScreen(options) };
  }

  private keeping(changed: () => void = () => undefined): HTMLElement | false {
    return !this.drafts.shared && keeping(this.frame.say, this.drafts, () => (this.save(this.draft), changed()));
  }

  /** Go to the first question without an answer, or to the overview. */
  private async begin(): Promise<void> {
    const { device } = this.survey.setting;
    try {
      this.asked = await device.asked(this.study, { level: this.draft.level });
    } catch (error) {
      return this.frame.wrong(null, preparingError(error, device, this.study, this.draft.level));
    }
    this.save({ ...this.draft, begun: true });
    this.next();
  }

  /** The screen behind a question. */
  private next(after?: Question): void {
    const { shown } = this;
    const later = this.returning ? shown : shown.slice(after ? shown.indexOf(after) + 1 : 0);
    const follows = this.returning || !after ? later.find(({ name }) => answerTo(this.draft.answers, name) === undefined) : later[0];
    if (this.study.paged) this.steps.push(follows ? `q ${follows.name}` : REVIEW);
    else this.steps.push(after ? REVIEW : ALL);
  }

  /** What the screens of the questions need. */
  private asking(): Asking {
    return {
      study: this.study,
      say: this.frame.say,
      frame: this.frame,
      reported: this.asked!.reported,
      needed: this.asked!.needed,
      fixed: fixedOf(this.study, formNamed(this.study, this.asked!.form).parts, this.frame.say),
      returning: this.returning,
      answers: () => this.draft.answers,
      value: ({ name }) => answerTo(this.draft.answers, name) ?? null,
      changed: (question, value) => this.answer(question, value),
      next: (question) => this.next(question),
      back: (before) => this.steps.back(this.returning ? REVIEW : before ? `q ${before.name}` : START),
      pause: () => this.pause(),
    };
  }

  private pause(): HTMLElement {
    return pause(this.frame.say, this.keeping(), () => void this.clear());
  }

  private async review(): Promise<void> {
    this.returning = false;
    this.reports = await this.survey.setting.device.prepare(this.study, this.answers, { level: this.draft.level });
    this.frame.show(() => this.reviewed());
  }

  private reviewed(): Screen {
    const { say } = this.frame;
    const ticket = this.typed.trim() || this.survey.setting.ticket;
    const change = (question: Question) => {
      this.returning = true;
      this.changing = question;
      this.steps.push(this.study.paged ? `q ${question.name}` : ALL);
    };
    const send = () => void this.survey.send(this.reports, ticket);
    const back = () => this.steps.back(this.study.paged ? `q ${this.shown.at(-1)!.name}` : ALL);
    const parts = reviewScreen({ study: this.study, report: this.reports[0]!, asked: this.asked!, shown: this.shown, answers: this.answers, ticket, frame: this.frame, change, send, back });
    return { heading: say.t("review_title"), parts: [...parts, this.pause()] };
  }

  /** Remove all answers, and begin again. What was drawn stays drawn, and so does the level. */
  private async clear(): Promise<void> {
    this.steps.replace(START);
    await this.survey.clear("cleared_answers");
    if (this.draft.begun && this.study.levels.length > 1) this.save(this.draft);
  }
}
