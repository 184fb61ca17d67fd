/** Compiled studies of any kind: fetched, and seen to be whole. */
import { count, fields } from "./channels/channel.js";
import { must, SottovoceError } from "./errors.js";
import { hex, NO_CRYPTO } from "./source.js";

export interface LoadOptions {
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
}

/** What `read` makes of a compiled study that is fetched from a collector. */
export async function loaded<T extends object>(url: string | URL, options: LoadOptions, read: (json: unknown, url: string) => Promise<T>): Promise<T> {
  const address = new URL(url, globalThis.location?.href).href;
  try {
    const answer = await (options.fetch ?? fetch)(address, {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-cache", // it may have been replaced a moment ago; its fingerprint is its ETag
      signal: options.signal ?? null,
    });
    const text = await answer.text();
    if (!answer.ok) throw new SottovoceError("refused", problem(text, answer.status), answer.status);
    return { ...(await read(text, address)), closed: answer.headers.get("sottovoce-state") === "closed" };
  } catch (error) {
    if (error instanceof SottovoceError) throw error;
    throw new SottovoceError("line", `Cannot reach the study: ${(error as Error).message}`);
  }
}

/** What `make` makes of a compiled study, given as text or as the object that the text stands for, whose keys and fingerprint are right. */
export async function checked<T>(json: unknown, version: number, keys: string[], make: (form: Record<string, any>) => T): Promise<T> {
  try {
    const form = fields(typeof json === "string" ? JSON.parse(json) : json, "sottovoce", "name", "promise", "fingerprint", ...keys) as Record<string, any>;
    const { promise: _, fingerprint, ...own } = form;
    must(own["sottovoce"] === version, "its version is unknown");
    must(typeof own["name"] === "string" && /^[a-z0-9][a-z0-9._-]{0,63}$/.test(own["name"]), "its name is invalid");
    must(count(own["minimum"] ?? 50) <= 1e9, "a count is out of range");
    must((await fingerprintOf(own)) === fingerprint, "its fingerprint does not fit");
    return make(form);
  } catch (error) {
    if (error instanceof SottovoceError && error.kind !== "study") throw error;
    throw new SottovoceError("study", `Study refused: ${(error as Error).message}.`);
  }
}

/** An address without what follows the path. */
export const plain = (url: string): string => url.replace(/[?#].*/, "").replace(/\/+$/, "");

/** Why a collector refused, from its problem document if there is one. */
export function problem(text: string, status: number): string {
  try {
    const { detail, remedy = "" } = JSON.parse(text) as { detail: string; remedy?: string };
    return `${detail.replace(/\.$/, "")}. ${remedy}`.trim();
  } catch {
    return `The collector answered ${status}.`;
  }
}

/** The SHA-256 of the canonical form (spec/study.md), in hexadecimal. */
export async function fingerprintOf(form: unknown): Promise<string> {
  if (!globalThis.crypto?.subtle)
    throw new SottovoceError("source", NO_CRYPTO);
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(form)));
  return hex(new Uint8Array(digest), 2);
}

/** A text that sorts by its code points, and not by the UTF-16 units of the language. */
const ordered = (text: string): string => hex(Array.from(text, (letter) => letter.codePointAt(0)!), 6);

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).sort(([a], [b]) => (ordered(a) < ordered(b) ? -1 : 1));
    return `{${entries.map(([key, each]) => `${canonical(key)}:${canonical(each)}`).join(",")}}`;
  }
  return JSON.stringify(value).replace(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
