/** A survey in a page of others: `survey(element, { url })`, or `<sottovoce-survey study="https://collector.example/studies/x">`. */
import { Device } from "../../src/index.js";
import { type About, mount, wordings } from "./mount.js";
import styles from "./survey.css";

/** The languages of the survey's own texts with their names, the default first. The build knows them. */
declare const LANGUAGES: readonly (readonly [code: string, name: string])[];

export interface SurveyOptions {
  /** The address of the study: https://collector.example/studies/my-survey. */
  readonly url: string;
  /** The language that is tried first; by default that of the element, then those of the browser. */
  readonly language?: string;
  /** The colours: "light", "dark", or those of the device ("auto", the default). */
  readonly scheme?: "light" | "dark" | "auto";
  /** A ticket, if the study is by invitation. */
  readonly ticket?: string;
  /** The device that answers, if the page has one already. */
  readonly device?: Device;
}

/** The style sheet in one scheme of colours, or in that of the device. */
function sheetFor(scheme: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet(); // made by script, which policies without inline styles allow
  sheet.replaceSync(styles);
  if (scheme !== "light" && scheme !== "dark") return sheet;
  for (const rule of sheet.cssRules) if (rule instanceof CSSMediaRule && rule.media.mediaText.includes("prefers-color-scheme")) rule.media.mediaText = scheme === "dark" ? "all" : "not all";
  sheet.insertRule(`:host { color-scheme: ${scheme}; }`, sheet.cssRules.length);
  return sheet;
}

/** Whether the study is open and for whom. The collector lists it by its name. */
async function aboutOf(url: string): Promise<About> {
  try {
    const [, list, name] = /^(.*)\/([^/]+)\/*$/.exec(url)!;
    const answer = await fetch(`${list!}?name=${name!}`, { credentials: "omit", referrerPolicy: "no-referrer" });
    const { studies } = (await answer.json()) as { studies: { name: string; state: string; respondents: string }[] };
    const found = studies.find((each) => each.name === decodeURIComponent(name!));
    return { state: found?.state === "closed" ? "closed" : "open", invited: found?.respondents === "tickets" };
  } catch {
    return { state: "open", invited: false }; // the collector then says so when the report arrives
  }
}

/** Fill an element with a survey. The function that it returns ends it. */
export async function survey(element: HTMLElement, { url, language, scheme = "auto", ticket = "", device }: SurveyOptions): Promise<() => void> {
  const shadow = element.shadowRoot ?? element.attachShadow({ mode: "open" });
  shadow.adoptedStyleSheets = [sheetFor(scheme)];
  const root = document.createElement("div");
  root.id = "survey";
  shadow.replaceChildren(root);
  const near = element.closest<HTMLElement>("[lang]")?.lang;
  const wanted = [language, near].filter((each): each is string => Boolean(each));
  const address = new URL(url, location.href).href;
  return mount(root, {
    url: address,
    about: aboutOf(address),
    ticket,
    device: device ?? (() => new Device()),
    history: false,
    rank: 2,
    languages: LANGUAGES,
    wording: wordings(new URL(".", import.meta.url)),
    wanted: [...wanted, ...navigator.languages],
  });
}

/** The same as an element: its attributes are `study`, `language`, `scheme` and `ticket`. */
export class SottovoceSurvey extends HTMLElement {
  private end: Promise<() => void> | undefined;

  connectedCallback(): void {
    const [url, language, scheme, ticket] = ["study", "language", "scheme", "ticket"].map((name) => this.getAttribute(name) ?? "");
    if (url) this.end = survey(this, { url, ...(language && { language }), scheme: scheme as NonNullable<SurveyOptions["scheme"]>, ...(ticket && { ticket }) });
  }

  disconnectedCallback(): void {
    void this.end?.then((end) => end());
  }
}

if (!customElements.get("sottovoce-survey")) customElements.define("sottovoce-survey", SottovoceSurvey);
