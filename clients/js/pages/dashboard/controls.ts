import { fill, h } from "../dom.js";
import type { Tally } from "./api.js";
import type { Choice } from "./keep.js";
import { levelWords } from "./words.js";

const LEVELS = [0.8, 0.9, 0.95, 0.99];
const NONE = "No one has answered yet. Results appear here when there are enough reports.";

/** How the estimate is made, and why there is none. */
export class Controls {
  private readonly method = h("select", { id: "method" });
  private readonly level = h("select", { id: "level" });
  private readonly refusal = h("p", { class: "notice bad", role: "alert", id: "refusal", hidden: true });
  private readonly loading = h("p", { class: "soft" }, "Reading the results …");
  private readonly empty = h("p", { class: "notice", id: "empty", hidden: true }, NONE);
  private readonly how = h("p", { class: "soft", id: "how", hidden: true });
  /** How the shares were computed, in short, below the headline. */
  readonly computed = h("p", { class: "soft small", id: "computed", hidden: true });
  private abouts = new Map<string, string>();
  /** Why there is nothing to see. */
  readonly notices: readonly HTMLElement[] = [this.loading, this.refusal, this.empty];
  /** The choices, folded away. */
  readonly fold: HTMLElement = h(
    "details",
    { id: "choices" },
    h("summary", {}, "Method and intervals"),
    h(
      "div",
      { class: "row" },
      h("p", {}, h("label", { for: "method" }, "Method"), this.method),
      h("p", {}, h("label", { for: "level" }, "Intervals"), this.level),
    ),
    this.how,
  );

  /** `full` is shown while there is an estimate. */
  constructor(
    private readonly full: HTMLElement,
    choice: Choice,
    chosen: (part: Partial<Choice>) => void,
  ) {
    const levels = [...new Set([...LEVELS, choice.level])].sort();
    fill(this.level, ...levels.map((level) => h("option", { value: level, selected: level === choice.level }, levelWords(level))));
    this.methods([], choice.method);
    this.method.addEventListener("change", () => chosen({ method: this.method.value }));
    this.level.addEventListener("change", () => chosen({ level: Number(this.level.value) }));
  }

  /** Offer the methods that work; the one that was chosen stays. */
  methods(methods: Tally["methods"], chosen: string): void {
    this.abouts = new Map(methods.map(({ method, about }) => [method, about]));
    const names = ["", ...this.abouts.keys()];
    if (!names.includes(chosen)) names.push(chosen);
    const offered = [...this.method.options].map(({ value }) => value);
    if (offered.length && `${names}` === `${offered}`) return; // someone may have it open
    fill(this.method, ...names.map((name) => h("option", { value: name, selected: name === chosen }, name || "automatic")));
  }

  /** Why there is no such estimate (nothing: there is one). */
  refuse(words: string | undefined): void {
    this.refusal.hidden = !words;
    this.refusal.textContent = words ? `${words}${this.full.hidden ? "" : " What is shown is from before."}` : "";
    if (words) this.empty.hidden = this.loading.hidden = true;
  }

  /** Results are shown later. */
  wait(words: string): void {
    this.empty.textContent = words;
  }

  /** No one has answered. */
  clear(): void {
    this.refuse(undefined);
    this.loading.hidden = true;
    this.empty.textContent = NONE;
    this.empty.hidden = false;
    this.full.hidden = this.computed.hidden = true;
  }

  /** There is an estimate, how it was made, and that in short. */
  show(how: string, short: string, level: number): void {
    this.empty.hidden = this.loading.hidden = true;
    this.full.hidden = this.computed.hidden = false;
    const words = `${short} About ${Math.round(100 * level)} of 100 such intervals contain the true share.`;
    if (this.computed.firstChild?.textContent !== words) fill(this.computed, h("span", {}, words), " ", h("a", { href: "#choices", click: () => this.open() }, "Change the method"));
    this.how.hidden = !how;
    this.how.textContent = how;
  }

  private open(): void {
    this.fold.setAttribute("open", "");
  }

  /** What a method does. */
  about(method: string): string | undefined {
    return this.abouts.get(method);
  }
}
