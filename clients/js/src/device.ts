import type { Item } from "./domain.js";
import { SottovoceError } from "./errors.js";
import { inputOf, type Marks, perturb, type Report } from "./report.js";
import type { Source } from "./source.js";
import { price, type Spent } from "./spending.js";
import type { Study } from "./study.js";
import { type Receipt, submit, type SubmitOptions } from "./submit.js";

/** Where a device keeps its ledger: `localStorage`, or anything with these two methods. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

export interface DeviceOptions {
  /** What this device gives in all, as ε; 8 by default. */
  readonly cap?: number;
  /** By default `localStorage`; drafts and marks are then kept in `sessionStorage`, for as long as the tab is open. */
  readonly storage?: Keeper;
  readonly fetch?: typeof fetch;
  readonly source?: Source;
}

/** Where an answer stands: not given yet, given and waiting to be sent, acknowledged, refused by the collector, or removed before it was acknowledged. */
export type State = "none" | "waiting" | "sent" | "refused" | "removed";

export interface Status {
  readonly state: State;
  /** What waits to be sent, or was refused; empty once it is acknowledged or removed. */
  readonly reports: readonly Report[];
  /** Why the collector refused it. */
  readonly reason?: string | undefined;
  /** The day on which it was given, such as "2027-05-04". */
  readonly day?: string | undefined;
  /** The answer was given to an earlier version of the study; no other is drawn for this one. */
  readonly changed?: boolean;
}

/** A line of the ledger: a study that got an answer. The answer isn't in it, and the reports only until they are acknowledged. */
interface Line extends Omit<Status, "changed"> {
  url: string;
  state: State;
  spent: Spent;
  ticket?: string | undefined;
  reason?: string | undefined;
}

/** Reports that were drawn about an answer (the level and the input's number are the key) and never left. */
interface Draft {
  place: string;
  key: string;
  reports: Report[];
}

/** All that a device keeps. Lines are by the study's fingerprint and stay. Drafts and marked items (with their tags, by the study's place) go with the answer. */
interface Ledger {
  lines: Record<string, Line>;
  drafts: Draft[];
  marks: Record<string, [item: string, tag: string][]>;
}

const KEY = "sottovoce";
const MORE = "another answer would tell more than was promised";
const refuse = (message: string) => new SottovoceError("ledger", message);

/**
 * A person's device: it gives each study no more than the study promises, adds up what it gives to all of them and stops at a cap, holds
 * reports until they are acknowledged, and then forgets them. The answer itself is dropped when its report is sent.
 */
export class Device {
  /** What this device gives in all, as ε. */
  readonly cap: number;
  /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
  readonly ready: Promise<void>;
  /** Where the lines are kept, and where drafts and marks are. */
  readonly #keepers: readonly [Keeper, Keeper];
  readonly #options: DeviceOptions;

  constructor(options: DeviceOptions = {}) {
    this.#options = options;
    this.cap = options.cap ?? 8;
    let found: [Keeper?, Keeper?] = [];
    try {
      found = [options.storage ?? globalThis.localStorage, options.storage ?? globalThis.sessionStorage];
    } catch {
      // a browser that blocks storage throws at the mention of it
    }
    if (!found[0] || !found[1]) throw refuse("nothing can be kept here; allow the page to store data");
    this.#keepers = found as [Keeper, Keeper];
    // an earlier version may have kept answers, and another tab may have changed what all agree on
    this.ready = !options.storage || options.storage.getItem(KEY) ? this.#change(() => undefined).catch(() => undefined) : Promise.resolve();
  }

  /** The reports about an answer: drawn now, or as they were drawn before. Nothing leaves, and the answer can still be changed. */
  prepare(study: Study, item: Item, options: { level?: string } = {}): Promise<readonly Report[]> {
    return this.#change((ledger) => {
      const marks = marksOf(ledger, study);
      const place = placeFor(study);
      const key = `${options.level ?? ""}/${inputOf(study, item, marks)}`;
      this.#afford(ledger, study, options.level);
      const found = ledger.drafts.find((each) => each.place === place && each.key === key && each.reports[0]!.study === study.fingerprint);
      if (found) return found.reports;
      const reports = Array.from({ length: study.reports }, () => perturb(study, item, { ...this.#options, ...options, marks }));
      ledger.drafts.push({ place, key, reports });
      return reports;
    });
  }

  /** Commit to what was prepared, and send it. From here on the study has its reports: they wait on the device until they are acknowledged. */
  async send(study: Study, reports: readonly Report[], options: SubmitOptions = {}): Promise<Receipt> {
    const id = reports[0]?.id;
    await this.#change((ledger) => {
      const { lines, drafts, marks } = ledger;
      const draft = drafts.find(({ reports: [first] }) => first!.id === id && first!.study === study.fingerprint);
      if (draft) {
        const spent = this.#afford(ledger, study, draft.reports[0]!.level);
        lines[study.fingerprint] = { url: study.url, state: "waiting", day: new Date().toISOString().slice(0, 10), spent, reports: draft.reports };
        delete marks[placeFor(study)];
      }
      const line = lineOf(ledger, study);
      if (!id || line?.reports[0]?.id !== id) throw refuse(line ? `this device has answered; ${MORE}` : "these reports were not prepared here");
      line.state = "waiting";
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
    return before ? { ...before, reports: [], changed: true } : (lineOf(ledger, study) ?? { state: "none", reports: [] });
  }

  /** What this device has given so far, to all studies. */
  spent(): Spent {
    return totalOf(this.#read());
  }

  /** Remove drafts, marks, and a report that was not acknowledged. What was given still counts, since it may have arrived. */
  forget(study: Study): Promise<void> {
    return this.#change((ledger) => {
      for (const [fingerprint, line] of Object.entries(ledger.lines)) {
        if (fingerprint !== study.fingerprint && !(line.url && line.url === study.url)) continue;
        Object.assign(line, { state: line.state === "waiting" ? "removed" : line.state, reports: [], ticket: undefined });
      }
      ledger.drafts = ledger.drafts.filter(({ place, reports }) => place !== placeFor(study) && reports[0]!.study !== study.fingerprint);
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

  /** What an answer gives away; it is refused if the study has its answer, or if the sum would exceed the cap. */
  #afford(ledger: Ledger, study: Study, level = ""): Spent {
    if (lineOf(ledger, study)) throw refuse(`this device has answered; ${MORE}`);
    const [found, { epsilon }] = [price(study, { level }), totalOf(ledger)];
    if (epsilon + found.epsilon < this.cap + 1e-6) return found; // sums of thousandths
    throw refuse(`this device has given ${epsilon} of at most ${this.cap}; this answer would add ${found.epsilon}`);
  }

  async #deliver(fingerprint: string, options: SubmitOptions): Promise<Receipt> {
    const kept = this.#read().lines[fingerprint]!;
    const settle = (state: State, reason?: string) =>
      this.#change(({ lines }) => {
        const line = (lines[fingerprint] ??= kept); // the page's data may have been cleared meanwhile
        if (line.state !== "sent") Object.assign(line, { state, reason }); // another page may have been quicker
      });
    try {
      const receipt = await submit(kept.reports, { ...this.#options, ...options, url: kept.url, ticket: kept.ticket });
      await settle("sent");
      return receipt;
    } catch (error) {
      if (error instanceof SottovoceError && error.kind === "refused") await settle("refused", error.message);
      throw error;
    }
  }

  #read(shared = this.#keepers[0].getItem(KEY)): Ledger {
    try {
      const [kept, own] = [shared, this.#keepers[1].getItem(KEY)].map((text) => JSON.parse(text ?? '{"lines":{}}') as Ledger);
      return tidied({ lines: kept!.lines, drafts: own!.drafts ?? [], marks: { ...kept!.marks, ...own!.marks } });
    } catch {
      throw refuse("what is kept here cannot be read, and with it how much was given; nothing is asked");
    }
  }

  /** Change the ledger while no other page of this origin does; nothing is written if that fails. */
  async #change<T>(act: (ledger: Ledger) => T): Promise<T> {
    const [keeper, tab] = this.#keepers;
    let [found, own]: [T?, string?] = [];
    const changed = (shared?: string) => {
      const ledger = this.#read(shared);
      found = act(ledger);
      const { lines, ...rest } = tidied(ledger);
      own = JSON.stringify(rest);
      return JSON.stringify(keeper === tab ? { lines, ...rest } : { lines });
    };
    if (keeper === tab) keeper.setItem(KEY, changed());
    else {
      keeper.setItem(KEY, await agreed(changed));
      tab.setItem(KEY, own!);
    }
    return found as T;
  }
}

/**
 * Change a text that all tabs agree on. A tab can see what another one wrote to `localStorage` too late, also under a Web Lock;
 * transactions of a database come one after the other. `localStorage` has a copy, for those who ask where an answer stands.
 */
const agreed = (change: (text?: string) => string): Promise<string> =>
  new Promise((resolve, reject) => {
    const opening = indexedDB.open(KEY);
    opening.onupgradeneeded = () => opening.result.createObjectStore(KEY);
    opening.onerror = reject;
    opening.onsuccess = () => {
      const database = opening.result;
      const work = database.transaction(KEY, "readwrite", { durability: "strict" });
      const store = work.objectStore(KEY);
      const reading = store.get(KEY);
      let text: string;
      reading.onsuccess = () => {
        try {
          store.put((text = change(reading.result as string | undefined)), KEY);
        } catch (error) {
          reject(error as Error);
          work.abort();
        }
      };
      work.oncomplete = () => (database.close(), resolve(text));
      work.onabort = () => (database.close(), reject(work.error as Error)); // a second rejection does nothing
    };
  });

/** What is kept, as it is read and as it is written: nothing of an answer stays once a study has it, nor its reports once they are acknowledged. */
function tidied({ lines, drafts, marks }: Ledger): Ledger {
  if (lines.constructor !== Object) throw Error();
  const kept: Ledger = { lines: {}, drafts, marks };
  // an earlier version wrote no `spent` (its answers count as shown), kept the answer and its reports, and drafts under "none"
  for (const [fingerprint, { url, state, day, reason, spent = { epsilon: 0, shown: 1 }, ...line }] of Object.entries(lines)) {
    if (state === "none") continue;
    if (!(Number.isFinite(spent.epsilon) && spent.epsilon >= 0 && spent.shown >= 0 && line.reports.length >= 0)) throw Error();
    const { reports, ticket } = state === "sent" ? { reports: [] } : line;
    kept.lines[fingerprint] = { url, state, day, spent, reports, ticket, reason };
    kept.drafts = kept.drafts.filter((each) => each.place !== url && each.reports[0]!.study !== fingerprint);
    delete marks[url || fingerprint];
  }
  return kept;
}

/** The sum over all studies. */
function totalOf({ lines }: Ledger): Spent {
  const sum = (key: keyof Spent) => +Object.values(lines).reduce((total, { spent }) => total + spent[key], 0).toFixed(3);
  return { epsilon: sum("epsilon"), shown: sum("shown") };
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
  return Object.entries(lines).find(([each, line]) => each !== fingerprint && url && line.url === url)?.[1];
}

/** The line of a study, if it has an answer; where an earlier version was answered, that counts for this one. */
function lineOf(ledger: Ledger, study: Study): Line | undefined {
  if (earlier(ledger, study)) throw refuse(`the study was changed since this device answered; ${MORE}`);
  return ledger.lines[study.fingerprint];
}
