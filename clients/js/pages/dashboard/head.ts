import { by, fill, h, visible } from "../dom.js";
import type { Listed } from "./api.js";
import { counted, whole } from "./words.js";

/** How often at most the number of people is said aloud, in milliseconds. */
const QUIET = 60_000;

/** What was found, the number of people, when it was read, and what keeps it from being read. */
export class Head {
  private readonly found = h("p", { id: "headline", hidden: true });
  private readonly marked = h("p", { id: "marked", hidden: true });
  private readonly number = h("strong", { id: "people" }, "–");
  private readonly unit = h("span", { id: "unit" }, "people so far");
  private readonly day = h("span", { id: "day" });
  private readonly time = h("span", { id: "updated" }, "reading …");
  private readonly pause = h("button", { type: "button", id: "pause", class: "quiet" }, "Pause updates");
  private readonly aloud = h("p", { class: "unseen", role: "status" });
  private readonly trouble = h("p", { class: "notice bad", role: "alert", id: "trouble", hidden: true });
  private said = { at: -Infinity, people: -1 };
  readonly element: HTMLElement;
  /** What one can do with the page itself, which comes last. */
  readonly session: HTMLElement;

  constructor(paused: (paused: boolean) => void, forget: () => void) {
    let halted = false;
    this.pause.addEventListener("click", () => {
      halted = !halted;
      this.pause.textContent = halted ? "Resume updates" : "Pause updates";
      if (halted) this.time.textContent = `paused, ${this.time.textContent}`;
      paused(halted);
    });
    const leave = h("button", { type: "button", id: "forget", class: "quiet", click: forget }, "Sign out");
    const about = "The page updates by itself while you look at it. If you sign out, this tab forgets your token.";
    this.session = h("section", { id: "session" }, h("h2", {}, "This page"), h("div", { class: "buttons" }, this.pause, leave), h("p", { class: "soft small" }, about));
    this.element = h(
      "section",
      { class: "head", "aria-label": "State of the study" },
      this.found,
      this.marked,
      h(
        "div",
        { class: "facts" },
        h("p", { class: "count" }, this.number, " ", this.unit),
        h("p", { class: "soft when" }, this.day, this.time),
      ),
      this.trouble,
      this.aloud,
    );
  }

  /** What was found, in a sentence that can be quoted and begins with the claim (nothing: none was), and why the intervals are wide. */
  headline(words: string, claim = words, marked = ""): void {
    this.marked.hidden = !marked;
    if (this.marked.textContent !== marked) this.marked.textContent = marked;
    this.found.hidden = !words;
    if (this.found.textContent !== visible(words)) fill(this.found, ...claimed(words, claim));
  }

  show(people: number, reports: number): void {
    this.number.textContent = whole(people);
    const several = reports === people ? "" : `, ${counted(reports, "report", "reports")}`;
    this.unit.textContent = `${people === 1 ? "person" : "people"} so far${several}`;
    this.read();
    const moved = Math.abs(people - this.said.people) >= 0.01 * this.said.people && people !== this.said.people;
    if (!moved || performance.now() - this.said.at < QUIET) return; // a voice that counts along is no help
    this.said = { at: performance.now(), people };
    this.aloud.textContent = `${counted(people, "person", "people")} so far`;
  }

  /** All is well, now. */
  read(): void {
    this.day.textContent = `${new Date().toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" })}, `;
    this.time.textContent = `updated ${new Date().toLocaleTimeString("en-GB")}`;
    this.trouble.hidden = true;
  }

  /** Something is not; what is on the screen stays. */
  fail(words: string): void {
    const said = `${words} What is shown is from before; the page tries again by itself.`;
    if (this.trouble.textContent !== said) this.trouble.textContent = said; // once aloud is enough
    this.trouble.hidden = false;
  }
}

/** A headline, in which its claim stands out from the rest, which follows in a line of its own. As text it's a sentence. */
export function claimed(words: string, claim: string): Node[] {
  const [joint = ""] = /^(, | )?/.exec(words.slice(claim.length)) ?? [];
  const rest = words.slice(claim.length + joint.length);
  return [h("span", { class: "claim" }, claim), ...(rest ? [h("span", { class: "joint" }, joint), h("span", { class: "exact" }, rest)] : [])];
}

/** The study's state in the title. */
export function showState(here: Listed | undefined): void {
  const badge = by("state");
  badge.textContent = badge.dataset["state"] = here?.state ?? "deleted";
}

/** The way to the other studies. */
export function showOthers(studies: readonly Listed[]): void {
  const here = document.body.dataset["study"];
  const others = studies.filter(({ name }) => name !== here);
  const nav = by("others");
  nav.hidden = others.length === 0;
  fill(
    by("studies"),
    ...others.map(({ name, question, state: open }) =>
      h("li", {}, h("a", { href: `/d/${name}` }, question), h("span", { class: "soft small" }, `${name}${open === "open" ? "" : `, ${open}`}`)),
    ),
  );
}
