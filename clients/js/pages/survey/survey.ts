/** A survey from the first screen to the last. What is asked is up to its flow: one question, or a questionnaire. */
import { type Device, type Questionnaire, type Report, SottovoceError, type State, type Study } from "../../src/index.js";
import { type Child, h } from "../dom.js";
import type { Key, Texts } from "../texts.js";
import { whomToAsk } from "./asker.js";
import { given } from "./budget.js";
import { experts, type Section } from "./experts.js";
import { preparingError, refusal } from "./errors.js";
import type { Frame, Screen } from "./frame.js";
import { withdrawal } from "./words.js";

export type AnyStudy = Study | Questionnaire;

export interface Setting {
  readonly study: AnyStudy;
  readonly device: Device;
  readonly frame: Frame;
  /** A ticket that came with the link. */
  readonly ticket: string;
  /** Whether the study is only for people with tickets. */
  readonly invited: boolean;
  /** Whether the study takes reports: it may be closed, or not open yet. */
  readonly state: "open" | "closed" | "early";
  /** Whether going back is a matter of the browser's history. */
  readonly history: boolean;
  /** Starts again for the next person. Only on a device that people share: anyone else has answered. */
  readonly again?: () => void;
}

/** What a study asks, until something is sent. */
export interface Flow {
  /** Show where the person is. */
  open(focus?: boolean): void;
  /** Draw again what another page of this device may have changed. */
  refresh(): void;
  /** Remove her answers. */
  drop(): void;
  /** Remove what is kept of them, because they are about to be sent. */
  release(): void;
  /** Keep them again, because nothing was sent. */
  hold(): void;
  /** What some reports say, which are about to be sent or were sent. `more` is for its fold. */
  panel(reports: readonly Report[], sent: boolean, more: Section): Child[];
  /** Whether they show answers as they are. */
  shows(reports: readonly Report[]): boolean;
  /** The study's own words at the end. */
  thanks(say: Texts): Child;
  /** Why the study takes no reports. */
  unopened(say: Texts): Screen;
}

/** What a flow needs of its survey. */
export interface Sending {
  readonly setting: Setting;
  send(reports: readonly Report[], ticket: string): Promise<void>;
  clear(said: Key): Promise<void>;
  /** Show where the answer stands, or that the person has opted out. */
  done(): void;
}

/** After how many milliseconds a page that waits for a connection tries again, on average. */
const RETRY = 15_000;

export class Survey implements Sending {
  private sending = false;
  /** What the page shows: the questions, or where the answer stands. */
  private shown: State | "questions" = "questions";
  /** What this page sent. The device forgets it when it is acknowledged; the page shows it until it is closed. */
  private left: readonly Report[] = [];
  /** The person had opted out when the page was drawn. */
  private out = false;
  /** How many reports the device kept when the page was drawn. */
  private kept = 0;
  private status: number | undefined;
  private readonly flow: Flow;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listening = new AbortController();

  constructor(
    readonly setting: Setting,
    flow: (survey: Sending) => Flow,
  ) {
    this.flow = flow(this);
    this.later();
  }

  /** Try again after a while: not all at once with the pages of others that lost the connection at the same moment. */
  private later(): void {
    this.timer = setTimeout(() => (void this.retry(), this.later()), RETRY * (0.75 + Math.random() / 2));
  }

  private get known() {
    return this.setting.device.status(this.setting.study);
  }

  /** Show the part that fits where the answer stands, and send what waits. */
  start(): void {
    if (this.known.state === "none") this.ask(false);
    else this.done();
    const { signal } = this.listening;
    addEventListener("online", () => void this.retry(), { signal });
    for (const event of ["storage", "pageshow", "focus"]) addEventListener(event, () => this.elsewhere(), { signal });
    void this.retry();
  }

  /** End, because the page is about to show something else here. */
  stop(): void {
    clearTimeout(this.timer);
    this.listening.abort();
  }

  /** Another page of this device may have given the answer, or sent it. */
  private elsewhere(): void {
    if (this.sending) return;
    const { state: now, reports } = this.known;
    if (now === "none") {
      if (this.shown !== "questions") return;
      if (this.out !== this.setting.device.optedOut) this.ask(false);
      else this.flow.refresh();
    } else if (now !== this.shown || reports.length !== this.kept) this.done();
  }

  private ask(focus = true): void {
    this.shown = "questions";
    this.kept = 0;
    const { frame, state, device, study } = this.setting;
    this.out = device.optedOut;
    if (this.out || state !== "open") this.flow.drop();
    if (this.out) return frame.show(() => ({ parts: [h("p", { class: "notice warn", id: "out" }, frame.say.t("error_opted_out"))] }), { focus: false });
    if (state === "open") return this.flow.open(focus);
    if (state === "closed") device.forget(study).catch(() => undefined); // what was looked at can't be sent any more
    frame.show(() => this.flow.unopened(frame.say), { focus });
  }

  async send(reports: readonly Report[], ticket: string): Promise<void> {
    if (this.sending) return;
    const { frame, device, study } = this.setting;
    this.sending = true;
    this.left = reports;
    const [button, unsent] = [frame.app.querySelector<HTMLButtonElement>("#send"), frame.app.querySelector("#unsent")];
    if (button) button.disabled = true;
    if (unsent) unsent.textContent = frame.say.t("sending");
    frame.tell("", ["sending"]);
    this.flow.release();
    try {
      await device.send(study, reports, { attempts: 3, ...(ticket && { ticket }) });
    } catch (error) {
      this.status = error instanceof SottovoceError ? error.status : undefined;
      if (this.known.state === "none") {
        const key = preparingError(error, device, study);
        if (key === "error_opted_out") return this.ask();
        if (key === "closed_explained") this.flow.drop();
        else this.flow.hold();
        frame.wrong(null, key); // it did not even begin: nothing was sent, and it can be tried again
        if (button) button.disabled = false;
        if (unsent) unsent.textContent = frame.say.t("nothing_sent_yet");
        return;
      }
    } finally {
      this.sending = false;
    }
    this.done();
  }

  private async retry(): Promise<void> {
    if (this.sending || this.known.state !== "waiting") return;
    const { frame, device, study, ticket } = this.setting;
    this.sending = true;
    frame.tell("", ["trying"]);
    try {
      const { reports } = this.known;
      if (ticket && reports.length) await device.send(study, reports, { attempts: 1, ticket });
      else await device.flush({ attempts: 1 });
    } catch (error) {
      this.status = error instanceof SottovoceError ? error.status : undefined; // where it stands is said below
    } finally {
      this.sending = false;
    }
    this.done();
  }

  /** Show where the answer stands. The answers themselves aren't needed any more. */
  done(): void {
    const { state, reports, changed } = this.known;
    const { frame } = this.setting;
    if (state === "none") return this.ask();
    this.flow.drop();
    this.shown = state;
    this.kept = reports.length;
    if (state === "sent" && !changed) frame.tell("good", ["received"]);
    else if (state === "waiting" && !changed) frame.tell("warn", ["waiting_status"]);
    else frame.hush();
    frame.show(() => (changed ? this.superseded() : state === "sent" ? this.thanks() : state === "waiting" ? this.waiting() : reports.length ? this.refused() : this.removed()));
  }

  /** What this browser has given away so far, for a fold. */
  private get total(): Section {
    return given(this.setting.device, this.setting.frame.say, undefined, !!this.setting.again);
  }

  private panel(reports: readonly Report[] = [], summary: Key = "what_waits"): Child {
    const { say } = this.setting.frame;
    if (!reports.length) return experts(say, this.total);
    const sent = summary === "what_was_sent";
    const still = sent && h("p", { class: "soft small" }, say.sentences(say.t("shown_until_left"), withdrawal(say, this.flow.shows(reports))));
    return h("details", { open: !sent, id: "left" }, h("summary", {}, say.t(summary)), still, ...this.flow.panel(reports, sent, this.total));
  }

  private forgetting(key: Key): HTMLElement {
    return h("button", { type: "button", id: "forget", click: () => void this.forget() }, this.setting.frame.say.t(key));
  }

  private superseded(): Screen {
    const { say } = this.setting.frame;
    const { day, state } = this.known;
    const words = day ? say.t("already_version_on", { day: say.day(day) }) : say.t("already_version");
    return { heading: say.t("already"), parts: [h("p", {}, say.sentences(say.t("already_changed"), words)), ...whomToAsk(this.setting.study, this.setting.frame), this.panel(), state === "waiting" && h("p", { class: "actions" }, this.forgetting("remove"))] };
  }

  private thanks(): Screen {
    const { say } = this.setting.frame;
    const { day } = this.known;
    const { again } = this.setting;
    const remembered = again ? say.t("next_person_explained") : day ? say.t("remembered_on", { day: say.day(day) }) : say.t("remembered");
    const panel = this.panel(this.left, "what_was_sent");
    const own = this.flow.thanks(say);
    return {
      heading: say.t(own ? "all_done" : "thank_you"),
      parts: [own, this.next(), h("p", { class: "soft", id: "forgotten" }, remembered), panel, !again && this.left.length > 0 && this.clearing()],
    };
  }

  /** A button that takes what was sent off the page, for someone who leaves a screen behind. */
  private clearing(): HTMLElement {
    const { frame, history: kept } = this.setting;
    const clear = () => {
      this.left = [];
      if (kept) history.replaceState(null, "");
      this.done();
      frame.tell("good", ["page_cleared"]);
    };
    return h("p", { class: "actions" }, h("button", { type: "button", id: "clear-page", click: clear }, frame.say.t("clear_page")));
  }

  /** The way on for the next person. */
  private next(): Child {
    const { frame: { say }, again } = this.setting;
    return again && h("p", { class: "actions" }, h("button", { type: "button", class: "main", id: "again", click: again }, say.t("next_person")));
  }

  private waiting(): Screen {
    const { say } = this.setting.frame;
    const retry = h("button", { type: "button", class: "main", id: "retry", click: () => void this.retry() }, say.t("try_again"));
    const actions = h("p", { class: "actions" }, retry, this.forgetting("dont_send"));
    return { heading: say.t("waiting"), parts: [h("p", {}, say.t("waiting_explained")), actions, this.panel(this.known.reports)] };
  }

  private removed(): Screen {
    const { say } = this.setting.frame;
    return { heading: say.t("removed"), parts: [h("p", {}, say.sentences(say.t(this.known.state === "removed" ? "removed_status" : "removed_refused"), say.t("removed_explained"))), ...whomToAsk(this.setting.study, this.setting.frame), this.panel()] };
  }

  private refused(): Screen {
    const { say } = this.setting.frame;
    const { reports } = this.known;
    const field = h("input", { type: "text", id: "ticket", autocomplete: "off", spellcheck: "false", value: this.setting.ticket });
    const resend = h("button", { type: "button", class: "main", id: "send", click: () => void this.send(reports, field.value.trim()) }, say.t("send_again"));
    const ticket = this.setting.invited && h("p", {}, h("label", { for: "ticket" }, say.t("ticket")), field);
    const why = refusal(this.status ?? (this.setting.state !== "open" ? 409 : this.setting.invited ? 401 : undefined));
    const panel = this.panel(reports) as HTMLDetailsElement;
    panel.open = false; // what to do comes first
    return { heading: say.t("refused"), parts: [h("p", { class: "notice bad", role: "alert" }, say.t(why)), h("p", {}, say.t("refused_next")), h("div", { class: "actions" }, ticket, resend, this.forgetting("remove")), ...whomToAsk(this.setting.study, this.setting.frame), panel] };
  }

  /** Remove what was looked at and not sent, and what was marked or answered. */
  async clear(said: Key): Promise<void> {
    const { frame, device, study } = this.setting;
    try {
      await device.forget(study);
    } catch {
      return frame.wrong(null, "error_full");
    }
    this.flow.drop();
    this.ask();
    frame.tell("", [said]);
  }

  private async forget(): Promise<void> {
    const { frame, device, study } = this.setting;
    try {
      await device.forget(study);
      this.done();
    } catch {
      frame.wrong(null, "error_full");
    }
  }
}
