/** Answers that aren't sent yet. They live in the tab, and on the device only if the person wants it. */
import type { Questionnaire } from "../../src/index.js";
import type { Value } from "./pickers.js";

export interface Draft {
  readonly level: string;
  readonly consented: boolean;
  /** Questions were drawn, so the level stays. */
  readonly begun?: boolean;
  readonly answers: Readonly<Record<string, Value>>;
  /** The screens that the steps of the history stand for. */
  readonly screens?: readonly (string | null)[];
}

const storages = [() => sessionStorage, () => localStorage] as const;

export class Drafts {
  private readonly key: string;
  /** The answers are kept on the device, and not only in this tab. */
  lasting = false;

  /** On a device that people share nothing is kept: the next person would find it. */
  constructor(
    private readonly study: Questionnaire,
    readonly shared: boolean,
  ) {
    this.key = `sottovoce-answers ${study.url || study.fingerprint}`;
  }

  private get storages() {
    return this.shared ? [] : storages;
  }

  /** What is kept; "changed" if it belongs to an earlier version of the study. */
  load(): Draft | "changed" | null {
    const [tab, device] = this.storages.map((storage) => this.read(storage));
    this.lasting = Boolean(device);
    const found = tab ?? device;
    if (!found) return null;
    if (found.study === this.study.fingerprint) return found;
    this.drop();
    return "changed";
  }

  /** Keep answers; false if the browser doesn't store them. */
  save(draft: Draft): boolean {
    const text = JSON.stringify({ study: this.study.fingerprint, ...draft });
    return this.storages.map((storage, k) => (k === 0 || this.lasting ? this.write(storage, text) : this.remove(storage))).every(Boolean);
  }

  /** Remove them, and forget that they should be kept. */
  drop(): void {
    this.lasting = false;
    this.release();
  }

  /** Remove them: they are about to be sent. */
  release(): void {
    for (const storage of this.storages) this.remove(storage);
  }

  private read(storage: () => Storage): ({ study: string } & Draft) | null {
    try {
      const found = JSON.parse(storage().getItem(this.key) ?? "null") as ({ study: string } & Draft) | null;
      return found && typeof found.answers === "object" ? found : null;
    } catch {
      return null; // blocked, or not ours
    }
  }

  private write(storage: () => Storage, text: string): boolean {
    try {
      storage().setItem(this.key, text);
      return true;
    } catch {
      return false;
    }
  }

  private remove(storage: () => Storage): boolean {
    try {
      storage().removeItem(this.key);
    } catch {
      // blocked: nothing was kept there
    }
    return true;
  }
}
