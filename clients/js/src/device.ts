import { type Answers, needed } from "./answers.js";
import type { Item } from "./domain.js";
import { draftOf, drawForm, formFor, marksOf } from "./drafts.js";
import { SottovoceError } from "./errors.js";
import { type Keeper, Kept } from "./kept.js";
import { ANSWERED, drop, earlier, type Ledger, lineOf, OUT, placeFor, refuse, type State, type Status, taking, today, totalOf, weight } from "./ledger.js";
import { closedOn, formNamed, type Questionnaire } from "./questionnaire.js";
import { inputOf, type Marks, type Report } from "./report.js";
import type { Source } from "./source.js";
import { price, type Spent } from "./spending.js";
import type { Study } from "./study.js";
import { type Receipt, submit, type SubmitOptions, wait } from "./submit.js";

export interface DeviceOptions {
  /** What this device gives in all, as ε: a finite number above 0, 8 by default. */
  readonly cap?: number;
  /**
   * By default, and for `localStorage`, what all tabs of an origin share: a database with a copy in `localStorage`, and `sessionStorage` for drafts
   * and marks, as long as the tab is open. Anything else keeps everything in one place, and only devices with the same storage know of each other.
   */
  readonly storage?: Keeper;
  readonly fetch?: typeof fetch;
  readonly source?: Source;
  /** The most studies whose reports wait to be sent, 100 by default. The oldest ones are removed. */
  readonly maxWaiting?: number;
  /** The most characters of reports that wait, a million by default. */
  readonly maxBytes?: number;
  /** The most days that reports wait, 30 by default. */
  readonly maxDays?: number;
}

/** The form that a person drew, and the questions that go with it. */
export interface Asked {
  readonly form: string;
  /** "" if people choose none. */
  readonly level: string;
  /** The questions that count: those of the form. */
  readonly reported: readonly string[];
  /** These and the earlier ones on which they depend, in the order of the questionnaire. */
  readonly needed: readonly string[];
}

/** The most seconds for which a collector is left alone. */
const DAY = 86_400;

type Any = Study | Questionnaire;
type Leveled = { readonly level?: string };

/**
 * A person's device: it gives each study no more than the study promises, adds up what it gives to all of them and stops at a cap, holds
 * reports until they are acknowledged, and then forgets them. The answer itself is dropped when its report is sent.
 */
export class Device {
  /** What this device gives in all, as ε. */
  readonly cap: number;
  /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
  readonly ready: Promise<void>;
  readonly #kept: Kept;
  readonly #options: DeviceOptions;
  readonly #maxBytes: number;
  /** Until when collectors want to be left alone, by their origin. */
  readonly #busy = new Map<string, number>();
  #stop = new AbortController();

  constructor(options: DeviceOptions = {}) {
    const { cap = 8, storage, maxWaiting = 100, maxBytes = 1e6, maxDays = 30 } = options;
    if (!(typeof cap === "number" && cap > 0 && cap < Infinity)) throw refuse(`cap must be a finite number above 0, not the ${typeof cap} ${cap}.`);
    for (const [name, value] of Object.entries({ maxWaiting, maxBytes, maxDays }))
      if (!Number.isSafeInteger(value) || value < 1) throw refuse(`${name} must be a whole number from 1, not the ${typeof value} ${value}.`);
    this.#options = options;
    this.cap = cap;
    this.#maxBytes = maxBytes;
    this.#kept = new Kept(storage, { maxWaiting, maxBytes, maxDays });
    this.ready = this.#kept.ready;
  }

  /** Which questions of a questionnaire count. The form is drawn now, or it was before: once, whatever is answered, removed or opened again. */
  asked(study: Questionnaire, { level = "" }: Leveled = {}): Promise<Asked> {
    return this.#kept.change((ledger) => {
      this.#afford(ledger, study, level);
      const form = formFor(ledger, study, level) ?? drawForm(ledger, study, level, this.#options.source);
      return { form: form.name, level, reported: form.questions, needed: needed(study, form) };
    });
  }

  /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
  prepare(study: Study, item: Item, options?: Leveled): Promise<readonly Report[]>;
  /** The report about the answers to the questions of the form that was drawn. What is given to other questions makes no difference. */
  prepare(study: Questionnaire, answers: Answers, options?: Leveled): Promise<readonly Report[]>;
  async prepare(study: Any, answer: Item | Answers, { level = "" }: Leveled = {}): Promise<readonly Report[]> {
    if ("questions" in study) await this.asked(study, { level }); // the form stays, even if something is wrong with the answers
    return this.#kept.change((ledger) => {
      this.#afford(ledger, study, level);
      const place = placeFor(study);
      const [key, draw] = draftOf(ledger, study, answer, level, this.#options.source);
      const found = ledger.drafts.find((each) => each.place === place && each.key === key && each.reports[0]!.study === study.fingerprint);
      if (found) return found.reports;
      const reports = draw();
      if (weight(reports) > this.#maxBytes) throw refuse("This report is too large for this device.");
      ledger.drafts.push({ place, key, reports });
      return reports;
    });
  }

  /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
  async send(study: Any, reports: readonly Report[], options: SubmitOptions = {}): Promise<Receipt> {
    const id = reports[0]?.id;
    await this.#kept.change((ledger) => {
      const { lines, drafts, marks } = taking(ledger);
      const draft = drafts.find(({ reports: [first] }) => first!.id === id && first!.study === study.fingerprint);
      if (draft) {
        const name = draft.reports[0]!.level;
        const spent = this.#afford(ledger, study, "questions" in study ? formNamed(study, name).level : name);
        const closes = "questions" in study ? study.dates.closes : undefined;
        lines[study.fingerprint] = { url: study.url, state: "waiting", day: today(), spent, reports: draft.reports, closes };
        delete marks[placeFor(study)];
      }
      const line = lineOf(ledger, study);
      if (!id || line?.reports[0]?.id !== id) throw refuse(line ? ANSWERED : "These reports were not prepared here.");
      line.state = "waiting";
      line.url ||= options.url ?? "";
      line.ticket = options.ticket ?? line.ticket;
    });
    return this.#deliver(study.fingerprint, options);
  }

  /** Send all that waits; tells how many answers were acknowledged. */
  async flush(options: Pick<SubmitOptions, "attempts" | "signal" | "keepalive"> = {}): Promise<number> {
    const waiting = Object.entries(this.#kept.read().lines).filter(([, { state }]) => state === "waiting");
    const sent = await Promise.all(
      waiting.map(async ([fingerprint]) => {
        try {
          await this.#deliver(fingerprint, options);
          return 1;
        } catch (error) {
          if (error instanceof SottovoceError) return 0;
          throw error;
        }
      }),
    );
    return sent.reduce<number>((sum, each) => sum + each, 0);
  }

  /** Send what waits now, whenever the device is online again, and once more when the page is left. Returns a function that ends this. */
  watch(): () => void {
    const ended = new AbortController();
    const flush = (options = {}) => void this.flush(options).catch(() => undefined);
    globalThis.addEventListener?.("online", () => flush(), { signal: ended.signal });
    globalThis.addEventListener?.("pagehide", () => flush({ attempts: 1, keepalive: true }), { signal: ended.signal });
    flush();
    return () => ended.abort();
  }

  /** Where the answer to a study stands. */
  status(study: Any): Status {
    const ledger = this.#kept.read();
    const before = earlier(ledger, study);
    return before ? { ...before, reports: [], changed: true } : (lineOf(ledger, study) ?? { state: "none", reports: [] });
  }

  /** What this device has given so far, to all studies. */
  spent(): Spent {
    return totalOf(this.#kept.read());
  }

  /** Whether the person has opted out. */
  get optedOut(): boolean {
    return this.#kept.read().out;
  }

  /** Take part in nothing any more: nothing is sent, and all is removed that wasn't, also the answers that survey pages keep. What was given still counts. */
  async optOut(): Promise<void> {
    await this.#kept.change((ledger) => void (ledger.out = true));
    this.#stop.abort();
    this.#stop = new AbortController();
    this.#kept.clear();
  }

  /** Take part again. */
  optIn(): Promise<void> {
    return this.#kept.change((ledger) => void (ledger.out = false));
  }

  /** Remove drafts, marks, and a report that was not acknowledged. What was given still counts, since it may have arrived; a form that was drawn stays. */
  forget(study: Any): Promise<void> {
    return this.#kept.change((ledger) => {
      for (const [fingerprint, line] of Object.entries(ledger.lines)) if (fingerprint === study.fingerprint || (line.url && line.url === study.url)) drop(line);
      ledger.drafts = ledger.drafts.filter(({ place, reports }) => place !== placeFor(study) && reports[0]!.study !== study.fingerprint);
      delete ledger.marks[placeFor(study)];
    });
  }

  /** The person's own sensitive items, tag by tag. */
  marks(study: Study): Marks {
    return marksOf(this.#kept.read(), study);
  }

  /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
  mark(study: Study, item: Item, tag: string | null): Promise<void> {
    return this.#kept.change((ledger) => {
      const { marks } = taking(ledger);
      const text = study.domain.text(study.domain.code(item));
      const others = (marks[placeFor(study)] ?? []).filter(([each]) => each !== text);
      if (tag !== null) inputOf(study, item, { [tag]: [] }); // refuses unknown tags
      marks[placeFor(study)] = tag === null ? others : [...others, [text, tag]];
    });
  }

  /** What an answer gives away; it is refused if it can't be given: to a study that has its answer or is closed, or beyond the cap. */
  #afford(ledger: Ledger, study: Any, level = ""): Spent {
    if (lineOf(taking(ledger), study)) throw refuse(ANSWERED);
    const closed = study.closed ? "The study is closed." : "questions" in study && closedOn(study.dates, today());
    if (closed) throw new SottovoceError("refused", closed);
    const [found, { epsilon }] = [price(study, { level }), totalOf(ledger)];
    if (epsilon + found.epsilon < this.cap + 1e-6) return found; // sums of thousandths
    throw refuse(`This device has given ${epsilon} of at most ${this.cap}. This answer would add ${found.epsilon}.`);
  }

  async #deliver(fingerprint: string, options: SubmitOptions): Promise<Receipt> {
    const kept = this.#kept.read().lines[fingerprint]!;
    if (kept.state !== "waiting") throw refuse(kept.reason ?? "Nothing waits to be sent.");
    const { signal } = this.#stop;
    const all = { ...this.#options, ...options, url: kept.url, ticket: kept.ticket };
    const origin = /^\w+:\/\/[^/]+/.exec(kept.url || (options.url ?? ""))?.[0] ?? "";
    const current: typeof fetch = async (...request) => {
      const { state, reason } = this.#kept.read().lines[fingerprint] ?? kept;
      if (state === "removed") throw refuse(reason ?? "It was removed."); // also by another page, between two attempts
      const seconds = Math.ceil(((this.#busy.get(origin) ?? 0) - Date.now()) / 1000);
      if (seconds > 0) throw new SottovoceError("line", `The collector is busy. Send it again in ${seconds} seconds.`);
      const answer = await (all.fetch ?? fetch)(...request);
      if (answer.status > 428) this.#busy.set(origin, Date.now() + 1000 * Math.min(DAY, wait(answer)) - 100); // timers may be a little early
      return answer;
    };
    const settle = (state: State, reason?: string) =>
      this.#kept.change(({ lines }) => {
        const line = (lines[fingerprint] ??= kept); // the page's data may have been cleared meanwhile
        if (state === "sent" || line.state === "waiting") Object.assign(line, { state, reason }); // another page may have been quicker
      });
    try {
      const receipt = await submit(kept.reports, { ...all, fetch: current, signal: options.signal ? AbortSignal.any([options.signal, signal]) : signal });
      await settle("sent");
      return receipt;
    } catch (error) {
      if (signal.aborted) throw refuse(OUT);
      if (error instanceof SottovoceError && error.kind === "refused") await settle("refused", error.message);
      throw error;
    }
  }
}
