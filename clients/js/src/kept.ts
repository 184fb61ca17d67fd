/** Where a device keeps its ledger: what all tabs agree on, and what is this tab's own. */
import { type Bounds, type Ledger, refuse, tidied } from "./ledger.js";

/** Where texts are kept: `localStorage`, or anything with these two methods. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const KEY = "sottovoce";

/** A ledger in storage. Drafts and marks stay in the tab, unless one storage is given for all. */
export class Kept {
  /** Where the lines are kept, and where drafts and marks are. */
  readonly #keepers: readonly [Keeper, Keeper];
  readonly #bounds: Bounds;
  /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
  readonly ready: Promise<void>;

  constructor(storage: Keeper | undefined, bounds: Bounds) {
    let found: [Keeper?, Keeper?] = [];
    try {
      found = [storage ?? globalThis.localStorage, storage ?? globalThis.sessionStorage];
    } catch {
      // a browser that blocks storage throws at the mention of it
    }
    if (!found[0] || !found[1]) throw refuse("nothing can be kept here; allow the page to store data");
    this.#keepers = found as [Keeper, Keeper];
    this.#bounds = bounds;
    // an earlier version may have kept answers, and another tab may have changed what all agree on
    this.ready = !storage || storage.getItem(KEY) ? this.change(() => undefined).catch(() => undefined) : Promise.resolve();
  }

  read(shared = this.#keepers[0].getItem(KEY)): Ledger {
    try {
      const [kept, own] = [shared, this.#keepers[1].getItem(KEY)].map((text) => JSON.parse(text ?? '{"lines":{}}') as Ledger);
      const { lines, drawn = [], out = false, marks } = kept!;
      return tidied({ lines, drawn, out, drafts: own!.drafts ?? [], marks: { ...marks, ...own!.marks } }, this.#bounds);
    } catch {
      throw refuse("what is kept here cannot be read, and with it how much was given; nothing is asked");
    }
  }

  /** Change the ledger while no other page of this origin does; nothing is written if that fails. */
  async change<T>(act: (ledger: Ledger) => T): Promise<T> {
    const [keeper, tab] = this.#keepers;
    let [found, own]: [T?, string?] = [];
    const changed = (shared?: string) => {
      const ledger = this.read(shared);
      found = act(ledger);
      const { lines, drawn, out, ...rest } = tidied(ledger, this.#bounds);
      const agreedOn = { lines, ...(drawn.length && { drawn }), ...(out && { out }) };
      own = JSON.stringify(rest);
      return JSON.stringify(keeper === tab ? { ...agreedOn, ...rest } : agreedOn);
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
