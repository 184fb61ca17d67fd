/** The survey page of a collector. */
import { Device, type Keeper } from "../../src/index.js";
import { by, visible } from "../dom.js";
import type { Key } from "../texts.js";
import { type About, mount, wordings } from "./mount.js";

/** The languages of the page's own texts with their names, the default first. The build knows them. */
declare const LANGUAGES: readonly (readonly [code: string, name: string])[];

const given = document.body.dataset as Record<"study" | "state" | "respondents" | "cap" | "contact", string>;

/** A ticket that came behind the # of the address, which browsers do not send; it is taken out of the address. */
function takeTicket(): string {
  const found = new URLSearchParams(location.hash.slice(1)).get("ticket") ?? "";
  if (found) history.replaceState(history.state, "", location.pathname + location.search);
  return found;
}

const query = new URLSearchParams(location.search);
const asked = query.get("lang");
/** Several people answer on this device, one after the other: each has a device of her own in memory, which ends with the page. */
const shared = query.has("shared");

function memory(): Keeper {
  const kept = new Map<string, string>();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => void kept.set(key, text) };
}

void mount(by("survey"), {
  url: `/studies/${given.study}`,
  about: { state: given.state as About["state"], invited: given.respondents === "tickets" },
  ticket: takeTicket(), // before anything else: it should not stand in the address for long
  device: () => new Device({ cap: Number(given.cap), ...(shared && { storage: memory() }) }),
  ...(shared && { again: () => location.reload() }),
  contact: given.contact,
  history: true,
  rank: 1,
  languages: LANGUAGES,
  wording: wordings("/static/"),
  wanted: [...(asked ? [asked] : []), ...navigator.languages],
  translated(say, title) {
    document.title = visible(title);
    Object.assign(document.documentElement, { lang: say.language, dir: say.direction });
    for (const link of document.querySelectorAll<HTMLAnchorElement>("[data-text=footer_kept]")) link.href = `/?lang=${say.language}#stored`;
    for (const each of document.querySelectorAll<HTMLElement>("[data-text]")) each.textContent = say.t(each.dataset["text"] as Key);
  },
}).then(() => navigator.storage?.persist?.());
