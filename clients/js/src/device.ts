import type { Item } from "./domain.js";
import { SottovoceError } from "./errors.js";
import { inputOf, type Marks, perturb, type Report } from "./report.js";
import type { Source } from "./source.js";
import type { Study } from "./study.js";
import { type Receipt, submit, type SubmitOptions } from "./submit.js";

/** Where a device keeps its ledger: `localStorage`, or anything with these two methods. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface DeviceOptions {
  /** By default `localStorage`. */
  readonly storage?: Keeper;
  readonly fetch?: typeof fetch;
  readonly source?: Source;
}

/** Where an answer stands: not given yet, given and waiting to be sent, acknowledged, or refused by the collector. */
export type State = "none" | "waiting" | "sent" | "refused";

export interface Status {
  readonly state: State;
  /** What was drawn for the answer that was given; empty once it is forgotten. */
  readonly reports: readonly Report[];
  /** Why the collector refused it. */
  readonly reason?: string;
  /** The answer was given to an earlier version of the study; no other is drawn for this one. */
  readonly changed?: boolean;
}

/** A line of the ledger. `drafts` were drawn and never left; `given` names the one that was committed to. */
interface Line {
  url: string;
  state: State;
  drafts: Record<string, Report[]>;
  given?: string;
  reports: Report[];
  ticket?: string | undefined;
  reason?: string;
}

/** All that a device keeps: a line for each study by its fingerprint, and marked items with their tags by the study's place. */
interface Ledger {
  lines: Record<string, Line>;
  marks: Record<string, [item: string, tag: string][]>;
}

const KEY = "sottovoce";
const MORE = "another answer would tell more than was promised";
const refuse = (message: string) => new SottovoceError("ledger", message);

/**
 * A person's device: it counts the reports of each study and gives no more than the study promises, keeps what was drawn so that
 * an unchanged answer is sent again and not drawn anew, holds reports until they are acknowledged, and keeps the person's own marks.
 */
export class Device {
  readonly #storage: Keeper;
  readonly #options: DeviceOptions;

  constructor(options: DeviceOptions = {}) {
    this.#options = options;
    let found: Keeper | undefined;
    try {
      found = options.storage ?? globalThis.localStorage;
    } catch {
      // a browser that blocks storage throws at the mention of it
    }
    if (!found) throw refuse("nothing can be kept here; allow the page to store data");
    this.#storage = found;
  }

  /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
  prepare(study: Study, item: Item, options: { level?: string } = {}): Promise<readonly Report[]> {
    return this.#change((ledger) => {
      const marks = marksOf(ledger, study);
      const key = `${options.level ?? ""}/${inputOf(study, item, marks)}`;
      const line = lineOf(ledger, study);
      if (line.state === "none") return (line.drafts[key] ??= Array.from({ length: study.reports }, () => perturb(study, item, { ...this.#options, ...options, marks })));
      if (line.given === key) return line.reports;
      throw refuse(`this device has answered; ${MORE}`);
    });
  }

  /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
  async send(study: Study, reports: readonly Report[], options: SubmitOptions = {}): Promise<Receipt> {
    await this.#change((ledger) => {
      const line = lineOf(ledger, study);
      if (line.state === "none") {
        line.given = Object.keys(line.drafts).find((key) => line.drafts[key]![0]!.id === reports[0]?.id) ?? "";
        line.reports = line.drafts[line.given] ?? [];
        line.drafts = {};
      }
      if (!reports[0] || line.reports[0]?.id !== reports[0].id) throw refuse("these reports were not prepared here");
      if (line.state !== "sent") line.state = "waiting"; // what was acknowledged stays so
      line.url ||= options.url ?? "";
      line.ticket = options.ticket ?? line.ticket;
    });
    return this.#deliver(study.fingerprint, options);
  }

  /** Send all that waits; tells how many answers were acknowledged. */
  async flush(options: Pick<SubmitOptions, "attempts" | "signal"> = {}): Promise<number> {
    let sent = 0;
    for (const [fingerprint, { state }] of Object.entries(this.#read().lines)) {
      if (state !== "waiting") continue;
      try {
        await this.#deliver(fingerprint, options);
        sent += 1;
      } catch (error) {
        if (!(error instanceof SottovoceError)) throw error;
      }
    }
    return sent;
  }

  /** Where the answer to a study stands. */
  status(study: Study): Status {
    const ledger = this.#read();
    const before = earlier(ledger, study);
    return before ? { state: before.state, reports: [], changed: true } : lineOf(ledger, study);
  }

  /** Remove the answer, its reports and the marks from this device. That it was given is still known, so that it is not given twice. */
  forget(study: Study): Promise<void> {
    return this.#change((ledger) => {
      for (const [fingerprint, { url, state }] of Object.entries(ledger.lines)) {
        if (fingerprint !== study.fingerprint && !(url && url === study.url)) continue;
        if (state === "waiting") throw refuse("the answer still waits to be sent");
        if (state === "none") delete ledger.lines[fingerprint];
        else ledger.lines[fingerprint] = { url, state, drafts: {}, reports: [] };
      }
      delete ledger.marks[placeFor(study)];
    });
  }

  /** The person's own sensitive items, tag by tag. */
  marks(study: Study): Marks {
    return marksOf(this.#read(), study);
  }

  /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
  mark(study: Study, item: Item, tag: string | null): Promise<void> {
    return this.#change(({ marks }) => {
      const text = study.domain.text(study.domain.code(item));
      const others = (marks[placeFor(study)] ?? []).filter(([each]) => each !== text);
      if (tag !== null) inputOf(study, item, { [tag]: [] }); // refuses unknown tags
      marks[placeFor(study)] = tag === null ? others : [...others, [text, tag]];
    });
  }

  async #deliver(fingerprint: string, options: SubmitOptions): Promise<Receipt> {
    const { url, reports, ticket } = this.#read().lines[fingerprint]!;
    const settle = (state: State, reason?: string) =>
      this.#change(({ lines }) => {
        const line = (lines[fingerprint] ??= { url, state, drafts: {}, reports }); // the page's data may have been cleared meanwhile
        if (!reason) delete line.ticket;
        if (line.state !== "sent") Object.assign(line, { state, reason, ticket: reason && line.ticket }); // another page may have been quicker
      });
    try {
      const receipt = await submit(reports, { ...this.#options, ...options, url, ticket });
      await settle("sent");
      return receipt;
    } catch (error) {
      if (error instanceof SottovoceError && error.kind === "refused") await settle("refused", error.message);
      throw error;
    }
  }

  #read(): Ledger {
    const kept = this.#storage.getItem(KEY);
    if (kept === null) return { lines: {}, marks: {} };
    try {
      const { lines, marks } = JSON.parse(kept) as Ledger;
      return { lines: { ...lines }, marks: { ...marks } };
    } catch {
      throw refuse("what is kept here cannot be read; clear the page's data");
    }
  }

  /** Change the ledger while no other page of this origin does; nothing is written if that fails. */
  async #change<T>(act: (ledger: Ledger) => T): Promise<T> {
    const whole = () => {
      const ledger = this.#read();
      const found = act(ledger);
      this.#storage.setItem(KEY, JSON.stringify(ledger));
      return found;
    };
    const locks = globalThis.navigator?.locks as LockManager | undefined;
    return locks ? locks.request(KEY, whole) : whole();
  }
}

/** What belongs to a study on this device belongs to its address. */
const placeFor = (study: Study): string => study.url || study.fingerprint;

/** The marks that the study knows: it may have been changed since. */
function marksOf({ marks }: Ledger, study: Study): Marks {
  const kept = (marks[placeFor(study)] ?? []).filter(([text]) => study.domain.has(text));
  return Object.fromEntries(study.tags.map((tag) => [tag, kept.flatMap(([text, under]) => (under === tag ? [text] : []))]));
}

/** An answer to an earlier version of the study, at the same address. */
function earlier({ lines }: Ledger, { fingerprint, url }: Study): Line | undefined {
  return Object.entries(lines).find(([each, line]) => line.state !== "none" && each !== fingerprint && url && line.url === url)?.[1];
}

/** The line of a study; where an earlier version was answered, that counts for this one. */
function lineOf(ledger: Ledger, study: Study): Line {
  if (earlier(ledger, study)) throw refuse(`the study was changed since this device answered; ${MORE}`);
  return (ledger.lines[study.fingerprint] ??= { url: study.url, state: "none", drafts: {}, reports: [] });
}
