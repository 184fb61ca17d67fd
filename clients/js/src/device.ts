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

/** All that a device keeps: a line for each study by its fingerprint, and marks by the study's address. */
interface Ledger {
  lines: Record<string, Line>;
  marks: Record<string, Record<string, string[]>>;
}

const KEY = "sottovoce";
const refuse = (message: string) => new SottovoceError("ledger", message);

/**
 * A person's device: it counts the reports of each study and gives no more than the study promises, keeps what was drawn so that
 * an unchanged answer is sent again and not drawn anew, holds reports until they are acknowledged, and keeps the person's own marks.
 */
export class Device {
  private readonly storage: Keeper;

  constructor(private readonly options: DeviceOptions = {}) {
    let found: Keeper | undefined;
    try {
      found = options.storage ?? globalThis.localStorage;
    } catch {
      // a browser that blocks storage throws at the mention of it
    }
    if (!found) throw refuse("this device cannot keep count of its reports; allow the page to store data");
    this.storage = found;
  }

  /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
  prepare(study: Study, item: Item, options: { level?: string } = {}): Promise<readonly Report[]> {
    return this.change((ledger) => {
      const marks = this.marks(study);
      const key = `${options.level ?? ""}/${inputOf(study, item, marks)}`;
      const line = lineOf(ledger, study);
      if (line.state === "none") return (line.drafts[key] ??= Array.from({ length: study.reports }, () => perturb(study, item, { ...this.options, ...options, marks })));
      if (line.given === key) return line.reports;
      throw refuse("this device has given all that the study asks of a person; another answer would tell more than was promised");
    });
  }

  /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
  async send(study: Study, reports: readonly Report[], options: SubmitOptions = {}): Promise<Receipt> {
    await this.change((ledger) => {
      const line = lineOf(ledger, study);
      if (line.state === "none") {
        line.given = Object.keys(line.drafts).find((key) => line.drafts[key]![0]!.id === reports[0]?.id) ?? "";
        line.reports = line.drafts[line.given] ?? [];
        line.drafts = {};
      }
      if (!reports[0] || line.reports[0]?.id !== reports[0].id) throw refuse("these reports were not prepared here, or others were given since");
      line.state = "waiting";
      line.ticket = options.ticket ?? line.ticket;
    });
    return this.deliver(study.fingerprint, options);
  }

  /** Send all that waits; tells how many answers were acknowledged. */
  async flush(options: SubmitOptions = {}): Promise<number> {
    let sent = 0;
    for (const [fingerprint, { state }] of Object.entries(this.read().lines)) {
      if (state !== "waiting") continue;
      try {
        await this.deliver(fingerprint, options);
        sent += 1;
      } catch (error) {
        if (!(error instanceof SottovoceError)) throw error;
      }
    }
    return sent;
  }

  /** Where the answer to a study stands. */
  status(study: Study): Status {
    return lineOf(this.read(), study);
  }

  /** Remove the answer, its reports and the marks from this device. That it was given is still known, so that it is not given twice. */
  forget(study: Study): Promise<void> {
    return this.change((ledger) => {
      const { url, state } = lineOf(ledger, study);
      if (state === "waiting") throw refuse("the answer waits to be sent; it can be forgotten afterwards");
      ledger.lines[study.fingerprint] = { url, state, drafts: {}, reports: [] };
      delete ledger.marks[study.url];
    });
  }

  /** The person's own sensitive items, tag by tag. */
  marks(study: Study): Marks {
    return this.read().marks[study.url] ?? {};
  }

  /** Mark an item under a tag, or take its mark away. The map never leaves the device. */
  mark(study: Study, item: Item, tag: string | null): Promise<void> {
    return this.change((ledger) => {
      const text = study.domain.text(study.domain.code(item));
      const marks = (ledger.marks[study.url] ??= {});
      for (const each of Object.keys(marks)) marks[each] = marks[each]!.filter((one) => one !== text);
      if (tag === null) return;
      inputOf(study, item, { [tag]: [] }); // refuses unknown tags
      marks[tag] = [...(marks[tag] ?? []), text];
    });
  }

  private async deliver(fingerprint: string, options: SubmitOptions): Promise<Receipt> {
    const { url, reports, ticket } = this.read().lines[fingerprint]!;
    const settle = (state: State, reason: string) => this.change(({ lines }) => void Object.assign(lines[fingerprint]!, { state, reason, ...(!reason && { ticket: undefined }) }));
    try {
      const receipt = await submit(reports, { url, ...this.options, ...(ticket && { ticket }), ...options });
      await settle("sent", "");
      return receipt;
    } catch (error) {
      if (error instanceof SottovoceError && error.kind === "refused") await settle("refused", error.message);
      throw error;
    }
  }

  private read(): Ledger {
    return JSON.parse(this.storage.getItem(KEY) ?? '{"lines":{},"marks":{}}') as Ledger;
  }

  /** Change the ledger while no other page of this origin does; nothing is written if that fails. */
  private async change<T>(act: (ledger: Ledger) => T): Promise<T> {
    const whole = () => {
      const ledger = this.read();
      const found = act(ledger);
      this.storage.setItem(KEY, JSON.stringify(ledger));
      return found;
    };
    const locks = globalThis.navigator?.locks as LockManager | undefined;
    return locks ? locks.request(KEY, whole) : whole();
  }
}

/** The line of a study. An answer to an earlier version at the same address counts for this one. */
function lineOf({ lines }: Ledger, study: Study): Line {
  for (const [fingerprint, { url, state }] of Object.entries(lines))
    if (state !== "none" && fingerprint !== study.fingerprint && study.url && url === study.url)
      throw refuse("the study was changed after this device answered it; another answer would tell more than was promised");
  return (lines[study.fingerprint] ??= { url: study.url, state: "none", drafts: {}, reports: [] });
}
