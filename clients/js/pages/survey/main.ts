/** The survey page: choose, see what would leave, send. The answer itself stays in this tab, and is dropped when its report is sent. */
import { Device, loadStudy, type Report, type State, type Study } from "../../src/index.js";
import { by, fill, h } from "../dom.js";
import { type Choice, givenSoFar, overCap, surveyForm } from "./form.js";
import { reportPanel } from "./review.js";

const { study: name, state, respondents, cap } = document.body.dataset as Record<"study" | "state" | "respondents" | "cap", string>;
const [app, status] = [by("app"), by("status")];
/** How often a page that waits for the line tries again, in milliseconds. */
const RETRY = 15_000;

/** A ticket that came behind the # of the address, which browsers do not send; it is taken out of the address. */
function takeTicket(): string {
  const found = new URLSearchParams(location.hash.slice(1)).get("ticket") ?? "";
  if (found) history.replaceState(null, "", location.pathname);
  return found;
}

const say = (message: string, kind = ""): void => fill(status, message !== "" && h("p", { class: `notice ${kind}` }, message));

const lead = document.querySelector<HTMLElement>(".lead")!;

/** Show a part of the page, and tell where one is. */
function show(heading: string, ...parts: (HTMLElement | false)[]): void {
  lead.hidden = true;
  const head = h("h2", { tabindex: -1 }, heading);
  fill(app, head, ...parts);
  head.focus();
}

class Survey {
  private sending = false;
  /** What the page shows: the form, or where the answer stands. */
  private shown: State | "form" = "form";
  /** What this page sent. The device forgets it when it is acknowledged; the page shows it until it is closed. */
  private left: readonly Report[] = [];
  /** How many reports the device kept when the page was drawn. */
  private kept = 0;
  /** Draws the form's marks anew. */
  private refresh: () => void = () => undefined;

  constructor(
    private readonly study: Study,
    private readonly device: Device,
    private readonly ticket: string,
  ) {}

  /** Show the part that fits where the answer stands, and see to it that what waits is sent. */
  start(): void {
    if (this.device.status(this.study).state === "none") this.form();
    else this.done();
    addEventListener("online", () => void this.retry());
    addEventListener("storage", () => this.elsewhere());
    setInterval(() => void this.retry(), RETRY);
    void this.retry();
  }

  /** Another page of this device may have given the answer, or sent it. */
  private elsewhere(): void {
    const { state: now, reports } = this.device.status(this.study);
    if (this.sending) return;
    if (now === "none") this.refresh();
    else if (now !== this.shown || reports.length !== this.kept) this.done();
  }

  private form(): void {
    this.shown = "form";
    this.kept = 0;
    const clear = h("button", { type: "button", class: "slight", id: "clear", click: () => void this.clear() }, "Clear what I looked at here");
    if (state !== "open") {
      lead.hidden = true;
      fill(app, h("p", { class: "notice warn" }, "This study is closed: it takes no more answers."), h("p", {}, clear));
      return;
    }
    const capped = overCap(this.study, this.device);
    if (capped) {
      lead.hidden = true;
      fill(app, capped);
      return;
    }
    const { form, refresh } = surveyForm({
      study: this.study,
      device: this.device,
      asksTicket: respondents === "tickets" && this.ticket === "",
      chosen: (choice, ticket) => void this.review(choice, ticket || this.ticket),
      wrong: (message) => say(message, "bad"),
    });
    this.refresh = refresh;
    this.page = [form, h("p", {}, clear)];
    this.back();
  }

  /** The form as it was left. */
  private page: (HTMLElement | false)[] = [];
  private back(): void {
    lead.hidden = false;
    say("");
    fill(app, ...this.page);
  }

  private async review({ code, level }: Choice, ticket: string): Promise<void> {
    try {
      const reports = await this.device.prepare(this.study, this.study.domain.text(code), { level });
      say("");
      const send = h("button", { type: "button", class: "main", id: "send", click: () => void this.send(reports, ticket) }, "Send this");
      const back = h("button", { type: "button", click: () => this.back() }, "Back");
      const tells = "With it goes what every browser tells a site: a network address, the kind of browser, its languages. This collector keeps none of that.";
      show(
        "This is what will leave your device",
        reportPanel(this.study, reports, ticket),
        h("p", { class: "soft small" }, `Nothing else is sent${this.study.tags.length ? ", and not which items you marked" : ""}. ${tells}`),
        h("p", { class: "actions" }, send, back),
      );
    } catch (error) {
      say(errorText(error), "bad");
      status.scrollIntoView({ block: "nearest" });
    }
  }

  private async send(reports: readonly Report[], ticket: string): Promise<void> {
    if (this.sending) return;
    this.sending = true;
    this.left = reports;
    const button = by<HTMLButtonElement>("send");
    button.disabled = true;
    say("Sending …");
    try {
      await this.device.send(this.study, reports, { attempts: 3, ...(ticket && { ticket }) });
    } catch (error) {
      if (this.device.status(this.study).state === "none") {
        say(errorText(error), "bad"); // it did not even begin: nothing was sent, and it can be tried again
        button.disabled = false;
        return;
      }
    } finally {
      this.sending = false;
    }
    this.done();
  }

  private async retry(): Promise<void> {
    if (this.sending || this.device.status(this.study).state !== "waiting") return;
    this.sending = true;
    say("Trying …");
    try {
      const { reports } = this.device.status(this.study);
      if (this.ticket && reports.length) await this.device.send(this.study, reports, { attempts: 1, ticket: this.ticket });
      else await this.device.flush({ attempts: 1 });
    } catch {
      // where it stands is said below
    } finally {
      this.sending = false;
    }
    this.done();
  }

  private done(): void {
    const { state: now, reports, reason, changed, day } = this.device.status(this.study);
    this.shown = now;
    this.kept = reports.length;
    const known = reports.length ? reports : now === "sent" ? this.left : [];
    const panel = known.length ? [h("details", { open: true }, h("summary", {}, now === "sent" ? "What was sent" : "What is to be sent"), reportPanel(this.study, known))] : [];
    const forget = (label: string) => h("button", { type: "button", id: "forget", click: () => void this.forget() }, label);
    const total = h("p", { class: "soft small", id: "given" }, givenSoFar(this.device));
    const on = day ? ` on ${new Date(day).toLocaleDateString("en", { dateStyle: "long", timeZone: "UTC" })}` : "";
    if (changed) {
      say("This study was changed after this device answered it.", "warn");
      const words = `You answered an earlier version${on}, which was replaced. A second answer would reveal more than was promised, so the question isn't asked again.`;
      show("This device has answered", h("p", {}, words), total, h("p", { class: "actions" }, now === "waiting" && forget("Remove it from this device")));
    } else if (now === "sent") {
      say("Your report was received, and counts once.", "good");
      const words = `You answered this study${on}. What you answered isn't kept on this device. It only knows that you answered and how much privacy budget that used, so that it doesn't send a second report about you.`;
      show("Thank you", h("p", { id: "forgotten" }, words), ...panel, panel.length > 0 && h("p", { class: "soft small" }, "This page shows what was sent until you leave it."), total);
    } else if (now === "waiting") {
      say("The collector cannot be reached. Your report waits on this device.", "warn");
      const retry = h("button", { type: "button", class: "main", id: "retry", click: () => void this.retry() }, "Try again now");
      show("Waiting for the line", h("p", {}, "It is sent as soon as the line is back, while this page is open, or when you open it again. It counts once."), h("p", { class: "actions" }, retry, forget("Don't send it, and remove it")), ...panel, total);
    } else if (reports.length === 0) {
      say(`Your report was removed from this device. ${now === "removed" ? "The collector hadn't confirmed it yet." : "The collector had refused it."}`, "warn");
      const words = "The report may have reached the collector, so it counts towards what this browser has given. The device doesn't draw another one.";
      show("Your report was removed", h("p", {}, words), total);
    } else {
      say(`The collector did not take the report: ${reason ?? ""}`, "bad");
      const field = h("input", { type: "text", id: "ticket", autocomplete: "off", value: this.ticket });
      const resend = h("button", { type: "button", class: "main", id: "send", click: () => void this.send(reports, field.value.trim()) }, "Send the same report again");
      const tickets = respondents === "tickets" && h("p", {}, h("label", { for: "ticket" }, "Your ticket"), field);
      show("The report was not taken", h("div", { class: "actions" }, tickets, resend, forget("Remove it from this device")), ...panel, total);
    }
  }

  /** Forget the reports that were looked at and not sent, and the marks. */
  private async clear(): Promise<void> {
    try {
      await this.device.forget(this.study);
      this.form();
      say("Cleared: this browser keeps nothing about your answer to this study.");
    } catch (error) {
      say(errorText(error), "bad");
    }
  }

  private async forget(): Promise<void> {
    try {
      await this.device.forget(this.study);
      this.done();
    } catch (error) {
      say(errorText(error), "bad");
    }
  }
}

const errorText = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
};

async function begin(): Promise<void> {
  const ticket = takeTicket(); // before anything else: it should not stand in the address for long
  try {
    const study = await loadStudy(`/studies/${name}`);
    const device = new Device({ cap: Number(cap) });
    await device.ready;
    new Survey(study, device, ticket).start();
    void navigator.storage?.persist?.();
  } catch (error) {
    fill(app, h("p", { class: "notice bad", role: "alert" }, errorText(error)), h("p", {}, "The question is not asked, and nothing is sent."));
  }
}

void begin();
