/** The survey page: choose, see what would leave, send. The answer itself stays in this page and in the device's ledger. */
import { Device, loadStudy, type Report, SottovoceError, type Study } from "../../src/index.js";
import { by, fill, h } from "../dom.js";
import { type Choice, surveyForm } from "./form.js";
import { reportPanel } from "./review.js";

const { study: name, state, respondents } = document.body.dataset as Record<"study" | "state" | "respondents", string>;
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
function show(heading: string, ...parts: HTMLElement[]): void {
  lead.hidden = true;
  const head = h("h2", { tabindex: -1 }, heading);
  fill(app, head, ...parts);
  head.focus();
}

class Survey {
  private ticket = takeTicket();
  private sending = false;

  constructor(
    private readonly study: Study,
    private readonly device: Device,
  ) {
    addEventListener("online", () => void this.retry());
    addEventListener("storage", () => this.elsewhere());
    setInterval(() => void this.retry(), RETRY);
  }

  /** The part that fits where the answer stands. */
  start(): void {
    if (this.device.status(this.study).state === "none") this.form();
    else this.done();
  }

  /** Another page of this device may have given the answer. */
  private elsewhere(): void {
    if (!this.sending && this.device.status(this.study).state !== "none") this.done();
  }

  private form(): void {
    if (state !== "open") {
      fill(app, h("p", { class: "notice warn" }, "This study is closed: it takes no more answers."));
      return;
    }
    const form = surveyForm({
      study: this.study,
      device: this.device,
      asksTicket: respondents === "tickets" && this.ticket === "",
      chosen: (choice, ticket) => void this.review(choice, ticket || this.ticket),
      wrong: (message) => say(message, "bad"),
    });
    lead.hidden = false;
    fill(app, form);
  }

  private async review({ code, level }: Choice, ticket: string): Promise<void> {
    try {
      const reports = await this.device.prepare(this.study, this.study.domain.text(code), { level });
      say("");
      const send = h("button", { type: "button", class: "main", id: "send", click: () => void this.send(reports, ticket) }, "Send this");
      const back = h("button", { type: "button", click: () => (say(""), this.form()) }, "Back");
      const address = "Your browser also tells your network address, as on every page; this collector does not keep it.";
      show(
        "This is what will leave your device",
        reportPanel(this.study, reports, ticket),
        h("p", { class: "soft small" }, `Nothing else is sent${this.study.tags.length ? ", and nothing of your marks" : ""}. ${address}`),
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
    by<HTMLButtonElement>("send").disabled = true;
    say("Sending …");
    try {
      await this.device.send(this.study, reports, { attempts: 3, ...(ticket && { ticket }) });
    } catch (error) {
      if (!(error instanceof SottovoceError)) throw error;
    } finally {
      this.sending = false;
    }
    this.done();
  }

  private async retry(): Promise<void> {
    if (this.sending || this.device.status(this.study).state !== "waiting") return;
    this.sending = true;
    const sent = await this.device.flush({ attempts: 1 });
    this.sending = false;
    if (sent || this.device.status(this.study).state !== "waiting") this.done();
  }

  private done(): void {
    const { state: now, reports, reason } = this.device.status(this.study);
    const again = h("button", { type: "button", click: () => (say(""), this.form()) }, "Answer again");
    const panel = reports.length ? [h("details", { open: true }, h("summary", {}, now === "sent" ? "What was sent" : "What is to be sent"), reportPanel(this.study, reports))] : [];
    if (now === "sent") {
      say("Your report was received, and counts once.", "good");
      const forget = h("button", { type: "button", id: "forget", click: () => void this.forget() }, "Remove my answer from this device");
      const words = reports.length
        ? "This device remembers your answer, so that the same report is sent again, and not a new one drawn, if you come back with it. A new report about you would tell more than was promised: a different answer is refused."
        : "Your answer was removed from this device. It still knows that you have answered, so that it does not give a second report about you.";
      show("Thank you", ...panel, h("p", {}, words), h("p", { class: "actions" }, reports.length > 0 && forget, again));
    } else if (now === "waiting") {
      say("The collector cannot be reached. Your report waits on this device.", "warn");
      const now = h("button", { type: "button", class: "main", id: "retry", click: () => void this.retry() }, "Try again now");
      show("Waiting for the line", h("p", {}, "It is sent as soon as the line is back, while this page is open, or when you open it again. It counts once."), h("p", { class: "actions" }, now), ...panel);
    } else {
      say(`The collector did not take the report: ${reason ?? ""}`, "bad");
      const field = h("input", { type: "text", id: "ticket", autocomplete: "off", value: this.ticket });
      const resend = h("button", { type: "button", class: "main", id: "send", click: () => void this.send(reports, field.value.trim()) }, "Send the same report again");
      const tickets = respondents === "tickets" && h("p", {}, h("label", { for: "ticket" }, "Your ticket"), field);
      show("The report was not taken", h("p", { class: "actions" }, tickets, resend), ...panel);
    }
  }

  private async forget(): Promise<void> {
    await this.device.forget(this.study);
    this.done();
  }
}

const errorText = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return `${text.charAt(0).toLocaleUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
};

async function begin(): Promise<void> {
  try {
    const study = await loadStudy(`/studies/${name}`);
    new Survey(study, new Device()).start();
    void navigator.storage?.persist?.();
  } catch (error) {
    fill(app, h("p", { class: "notice bad", role: "alert" }, errorText(error)), h("p", {}, "Nothing was sent."));
  }
}

void begin();
