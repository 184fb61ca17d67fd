/** Where a device keeps its ledger: what all tabs agree on, and what is this tab's own. */
import { type Bounds, type Ledger, refuse, tidied } from "./ledger.js";

/** Where texts are kept: anything with these two methods. */
export interface Keeper {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

const KEY = "sottovoce";

/** The browser's storage, for all tabs and for this one. A browser that blocks it throws at the mention of it. */
function storages(): [device?: Storage, tab?: Storage] {
  try {
    return [globalThis.localStorage, globalThis.sessionStorage];
  } catch {
    return [];
  }
}

/** A ledger in storage. Drafts and marks stay in the tab, unless one storage is given for all. */
export class Kept {
  /** Where the lines are kept, and where drafts and marks are. */
  readonly #keepers: readonly [Keeper, Keeper];
  readonly #bounds: Bounds;
  /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
  readonly ready: Promise<void>;

  constructor(storage: Keeper | undefined, bounds: Bounds) {
    const [device, tab] = storages();
    const own = storage === device ? undefined : storage; // two ways to one place would not see each other's reports
    const found = [own ?? device, own ?? tab];
    if (!found[0] || !found[1]) throw refuse("Nothing can be stored here. Allow the page to store data.");
    this.#keepers = found as [Keeper, Keeper];
    this.#bounds = bounds;
    // an earlier version may have kept answers, and another tab may have changed what all agree on
    this.ready = !own || own.getItem(KEY) ? this.change(() => undefined).catch(() => undefined) : Promise.resolve();
  }

  read(shared = this.#keepers[0].getItem(KEY)): Ledger {
    const [keeper, tab] = this.#keepers;
    try {
      const mine = tab.getItem(KEY);
      const [kept, own] = [shared, mine].map((text) => JSON.parse(text ?? '{"lines":{}}') as Ledger);
      const { lines, drawn = [], out = false, marks } = kept!;
      const found = tidied({ lines, drawn, out, drafts: own!.drafts ?? [], marks: { ...marks, ...own!.marks } }, this.#bounds);
      const left = JSON.stringify({ drafts: found.drafts, marks: found.marks });
      if (keeper !== tab && mine && left.length < mine.length) tab.setItem(KEY, left); // another tab sent the answer to which these belonged
      return found;
    } catch {
      throw refuse("What is stored here cannot be read. Nothing is asked.");
    }
  }

  /** Remove the unsent answers that survey pages of this origin keep, on the device and in this tab. */
  clear(): void {
    const [device, tab] = storages();
    if (this.#keepers[0] !== device) return;
    for (const storage of [device, tab] as Storage[]) for (const key of Object.keys(storage)) if (key.startsWith("sottovoce-answers ")) storage.removeItem(key);
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
