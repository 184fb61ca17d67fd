/** As much of a browser as a device needs: storage for all tabs and for this one, and a database whose transactions come one after the other. */
import { vi } from "vitest";
import { Memory } from "./support.js";

interface Request {
  result?: unknown;
  onsuccess?: () => void;
  onupgradeneeded?: () => void;
}

/** Globals of a browser. With `tab` only those of a new tab. */
export function browser({ tab = false } = {}): void {
  vi.stubGlobal("sessionStorage", new Memory());
  if (tab) return;
  vi.stubGlobal("localStorage", new Memory());
  const kept = new Map<string, unknown>();
  let last: Promise<void> = Promise.resolve();
  const store = (work: Promise<void>) => ({
    get(key: string) {
      const request: Request = {};
      void work.then(() => {
        request.result = kept.get(key);
        request.onsuccess!();
      });
      return request;
    },
    put: (value: unknown, key: string) => void kept.set(key, value),
  });
  const database = {
    createObjectStore: () => undefined,
    close: () => undefined,
    transaction() {
      const mine = last;
      const work: { oncomplete?: () => void; onabort?: () => void; error?: Error; aborted?: boolean; abort(): void; objectStore(): unknown } = {
        abort: () => void (work.aborted = true),
        objectStore: () => store(mine),
      };
      last = mine.then(() => new Promise((resolve) => setTimeout(resolve))).then(() => (work.aborted ? work.onabort : work.oncomplete)!());
      return work;
    },
  };
  const open = () => {
    const request: Request = { result: database };
    queueMicrotask(() => {
      request.onupgradeneeded!();
      request.onsuccess!();
    });
    return request;
  };
  vi.stubGlobal("indexedDB", { open });
}
