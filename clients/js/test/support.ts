/** What several tests need: the vectors, a source of recorded words, and storage. */
import { readdirSync, readFileSync } from "node:fs";

export const VECTORS = new URL("../../../spec/vectors/", import.meta.url);
export const files = (folder: string) => readdirSync(new URL(folder, VECTORS)).filter((name) => name.endsWith(".json"));
export const read = (path: string) => JSON.parse(readFileSync(new URL(path, VECTORS), "utf8"));

/** A source that replays recorded words, and knows when they are used up. */
export function replay(words: string[]) {
  const left = words.map((word) => BigInt(`0x${word}`)).reverse();
  return {
    left,
    word() {
      const next = left.pop();
      if (next === undefined) throw new Error("the words are used up");
      return next;
    },
  };
}

/** Storage that a test can look into. */
export class Memory {
  readonly kept = new Map<string, string>();
  getItem = (key: string) => this.kept.get(key) ?? null;
  setItem = (key: string, value: string) => void this.kept.set(key, value);
  text = () => [...this.kept.values()].join("\n");
}
