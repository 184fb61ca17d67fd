/** The part of a page that the survey fills: its title, the choice of a language, what it says, and one screen at a time. */
import { type Child, fill, h } from "../dom.js";
import type { Key, Texts, Values } from "../texts.js";

export interface Screen {
  /** What the screen is called; without one it begins with its first part. */
  readonly heading?: string | HTMLElement;
  readonly parts: readonly Child[];
  /** Where the person goes on, if not at the heading. */
  readonly at?: HTMLElement | undefined;
}

interface Said {
  readonly texts: readonly (readonly [key: Key, values?: Values | undefined])[];
  readonly kind: string;
}

export interface FrameOptions {
  /** The rank of the title: 1 on a page of its own, and lower in a page of others. */
  readonly rank: 1 | 2;
  /** How to reach those who run the site, if it says so. */
  readonly contact: string;
  readonly title: (say: Texts) => HTMLElement;
  /** Languages that people can choose among, with their names. */
  readonly languages: readonly (readonly [code: string, name: string])[];
  readonly chosen: (language: string) => void;
}

export class Frame {
  readonly status = h("div", { id: "status", role: "status", "aria-live": "polite" });
  readonly app = h("div", { id: "app" });
  private readonly title: HTMLElement;
  private readonly languages: HTMLElement | null = null;
  private readonly label = h("label", { for: "language", class: "unseen" });
  private screen: () => Screen = () => ({ parts: [] });
  private said: Said = { texts: [], kind: "" };
  /** What is wrong with a field, beside it. */
  private problem: { readonly message: HTMLElement; readonly at: HTMLElement } | null = null;

  constructor(
    private readonly root: HTMLElement,
    public say: Texts,
    private readonly options: FrameOptions,
  ) {
    this.title = this.heading(0, "", { tabindex: -1 });
    if (options.languages.length > 1) {
      const menu = h("select", { id: "language", change: () => options.chosen(menu.value) });
      for (const [code, name] of options.languages) menu.append(h("option", { value: code, lang: code }, name));
      this.languages = h("p", { class: "languages small" }, this.label, menu);
    }
    fill(root, h("div", { class: "top" }, this.title, this.languages), this.status, this.app);
    this.translate(say);
  }

  get contact(): string {
    return this.options.contact;
  }

  /** A heading so many ranks below the title. */
  heading(below: number, text: string | Node = "", attributes: Record<string, string | number> = {}): HTMLElement {
    return h(`h${this.options.rank + below}` as "h2", attributes, text);
  }

  /** Show everything in another language. */
  translate(say: Texts): void {
    this.say = say;
    this.root.lang = say.language;
    this.root.dir = say.direction;
    fill(this.title, this.options.title(say));
    this.label.textContent = say.t("language");
    const menu = this.languages?.querySelector("select");
    if (menu) menu.value = say.language;
    this.tell(this.said.kind, ...this.said.texts);
    this.draw();
  }

  /** Show a screen. It is a function, so that it can be drawn again in another language. */
  show(screen: () => Screen, { focus = true } = {}): void {
    this.screen = screen;
    const { heading, at } = this.draw();
    if (!focus) return;
    (at ?? heading ?? this.title).focus({ preventScroll: true });
    if (at) at.scrollIntoView();
    else if (this.root.getBoundingClientRect().top < 0) this.root.scrollIntoView();
  }

  /** Draw the screen again as things now are. */
  draw(): { heading: HTMLElement | undefined; at: HTMLElement | undefined } {
    const { heading, parts, at } = this.screen();
    const head = typeof heading === "string" ? this.heading(1, heading) : heading;
    for (const each of [head, at]) each?.setAttribute("tabindex", "-1");
    this.problem = null;
    fill(this.app, typeof heading === "string" && head, ...parts);
    this.root.classList.toggle("underway", heading !== undefined);
    return { heading: head, at };
  }

  /** Say something above the screen; screen readers say it, too. */
  tell(kind: string, ...texts: readonly (readonly [key: Key, values?: Values | undefined])[]): void {
    this.said = { texts, kind };
    const nodes = texts.flatMap(([key, values], k) => [...(k ? [this.say.space] : []), ...this.say.rich(key, values)]);
    fill(this.status, nodes.length > 0 && h("p", { class: `notice ${kind}` }, ...nodes));
  }

  hush(): void {
    this.tell("");
  }

  /** Say what is wrong: beside the field where it is, or above the screen. What may be right is only asked about. */
  wrong(at: HTMLElement | null, key: Key, values?: Values): void {
    this.settle();
    if (!at) {
      this.tell("bad", [key, values]);
      return this.status.scrollIntoView({ block: "nearest" });
    }
    const message = h("p", { class: `notice ${key === "clipped" ? "warn" : "bad"} problem`, id: "problem", role: "alert" }, ...this.say.rich(key, values));
    const field = at.closest("[data-question]") ?? at.closest("fieldset, label, p")!;
    const head = field.querySelector(":scope > .help") ?? field.querySelector(":scope > legend");
    if (head) head.after(message);
    else field.before(message);
    at.setAttribute("aria-invalid", "true");
    at.setAttribute("aria-describedby", message.id);
    for (const event of ["input", "change"]) field.addEventListener(event, () => this.settle(field as HTMLElement), { once: true });
    this.problem = { message, at };
    at.focus({ preventScroll: true });
    for (const each of [at, message]) each.scrollIntoView({ block: "nearest" });
  }

  /** The problem is settled, or the one with a field in this element. */
  settle(within?: HTMLElement): void {
    if (!this.problem || (within && !within.contains(this.problem.at))) return;
    const { message, at } = this.problem;
    message.remove();
    for (const name of ["aria-invalid", "aria-describedby"]) at.removeAttribute(name);
    this.problem = null;
  }
}
