/** The page for a token that has not been refused: reads the study again and again, and shows what it finds. */
import { by, fill, h, visible } from "../dom.js";
import { Api, compiled, named, Problem, type Tally } from "./api.js";
import { exportsSection } from "./exports.js";
import { Head, showOthers, showState } from "./head.js";
import { choiceFor, type Choice, dropToken, forgetTokens, keepChoice } from "./keep.js";
import { Poll } from "./poll.js";

export const NAME = document.body.dataset["study"]!;
/** Readings of the estimate to one of the studies' states and the methods. */
const SELDOM = 12;

/** A study that was checked. */
interface Checked {
  readonly fingerprint: string;
  readonly reports: number;
}

/** An estimate, in what all kinds of studies have. */
interface Estimated {
  readonly fingerprint: string;
  readonly n: number;
  /** The people, if they aren't as many as the reports. */
  readonly people?: number;
  readonly cautions: readonly string[];
  /** What was found, in a sentence, if there is one question. */
  readonly headline?: string;
  readonly claim?: string;
  /** What to know about the answers that people marked. */
  readonly marked?: string;
  readonly items?: readonly { readonly item: string; readonly name?: string }[];
}

/** What shows an estimate of a kind of study. */
interface Found<E, S> {
  readonly element: HTMLElement;
  /** What comes after the cautions. */
  readonly more: HTMLElement;
  /** How it was computed, in short. */
  readonly computed: HTMLElement;
  /** Whether it takes much more room than what stands beside it. */
  readonly tall: boolean;
  readonly png?: () => Promise<Blob>;
  methods(methods: Tally["methods"], chosen: string): void;
  refuse(words: string | undefined): void;
  wait(words: string): void;
  clear(): void;
  show(estimate: E, study: S | undefined): void;
}

/** The parts of the page that differ between a study of one question and a questionnaire. */
export interface Parts<E, O, S> {
  readonly found: (choice: Choice, chosen: (part: Partial<Choice>) => void) => Found<E, S>;
  readonly outlook: (target: number, wanted: (target: number) => void) => { readonly element: HTMLElement; show(outlook: O, estimate?: E): void };
  readonly promise: () => { readonly element: HTMLElement; check(text: string, url: string): Promise<S | undefined>; call(names: readonly string[]): void };
  readonly csv: (estimate: E) => string;
  /** The version of compiled studies of this kind. */
  readonly version: number;
}

export class Dashboard<E extends Estimated, O, S extends Checked> {
  private choice: Choice = choiceFor(NAME);
  private readonly head = new Head((paused) => this.poll.pause(paused), () => this.leave());
  private readonly found: Found<E, S>;
  private readonly outlook: ReturnType<Parts<E, O, S>["outlook"]>;
  private readonly promise: ReturnType<Parts<E, O, S>["promise"]>;
  private readonly cautions = h("section", { class: "notice warn", id: "cautions", hidden: true });
  private readonly wide: HTMLElement;
  private readonly side: HTMLElement;
  /** What analysts need seldom. */
  private readonly last: HTMLElement;
  private readonly columns: HTMLElement;
  private readonly poll = new Poll((signal) => this.update(signal));
  private study: S | undefined;
  private shown: { text: string; estimate: E } | undefined;
  /** What the screen shows, so that nothing is drawn twice. */
  private drawn = { found: "", outlook: "" };
  private round = 0;
  private reports = 0;
  private refused = false;
  private ended = false;

  constructor(
    private readonly parts: Parts<E, O, S>,
    private readonly api: Api<E, O>,
    private readonly ask: (message?: string) => void,
  ) {
    this.found = parts.found(this.choice, (part) => this.choose(part));
    this.outlook = parts.outlook(this.choice.target, (target) => this.choose({ target }));
    this.promise = parts.promise();
    const shown = () => this.shown && { text: this.shown.text, csv: () => parts.csv(this.shown!.estimate) };
    const files = exportsSection({ shown, png: this.found.png && (() => this.found.png!()), reports: () => this.api.reports() });
    const below = parts.version === 2; // a table of contents stands beside the outlook, and the questions have the whole width
    this.wide = h("div", { class: "column" }, this.found.element, !below && this.found.more);
    this.side = h("div", { class: "column" }, this.outlook.element);
    this.last = h("div", { class: "last" }, this.promise.element, files, this.head.session);
    this.columns = h("div", { class: "columns" }, this.wide, this.cautions, this.side, below && this.found.more, this.last);
    fill(by("app"), this.head.element, this.found.computed, this.columns);
    this.poll.now();
    void this.check();
  }

  /** Another one takes its place: ask for nothing more. */
  end(): void {
    this.ended = true;
    this.poll.end();
  }

  private async check(): Promise<void> {
    if (this.ended) return;
    try {
      const text = await compiled(NAME);
      if (ofOtherKind(text, this.parts.version)) return location.reload(); // a questionnaire took the place of a question, or the other way
      this.study = await this.promise.check(text, new URL(`/studies/${NAME}`, location.href).href);
    } catch (error) {
      this.head.fail(wordsOf(error));
      setTimeout(() => void this.check(), 5_000);
      return;
    }
    if (this.study && this.shown) this.found.show(this.shown.estimate, this.study); // now its items have names
  }

  private choose(part: Partial<Choice>): void {
    this.choice = { ...this.choice, ...part };
    keepChoice(NAME, this.choice);
    this.poll.now();
  }

  private leave(): void {
    forgetTokens();
    this.ask();
  }

  /** Read everything that may have changed; says whether that went well. */
  private async update(signal: AbortSignal): Promise<boolean> {
    try {
      try {
        if (this.round % SELDOM === 0 || this.reports === 0) await this.seldom(signal);
        this.round += 1;
        if (this.reports > 0) await this.estimate(signal);
        else {
          this.found.clear();
          this.head.show(0, 0);
        }
      } catch (error) {
        if (!(error instanceof Problem) || error.few === undefined) throw error;
        this.few(error, error.few);
      }
      await this.lookAhead(signal);
      return true;
    } catch (error) {
      if (signal.aborted || this.ended) return true;
      if (error instanceof Problem && error.token) {
        dropToken(NAME);
        this.ask(error.words);
        return false;
      }
      this.head.fail(wordsOf(error));
      return false;
    }
  }

  private async seldom(signal: AbortSignal): Promise<void> {
    const here = await named(NAME, signal); // first: it also knows of a study that is gone, or another one now
    showState(here);
    showOthers(await this.api.studies(signal));
    if (this.study && here && here.fingerprint !== this.study.fingerprint) {
      this.study = undefined;
      void this.check();
    }
    const tally = await this.api.tally(signal);
    this.found.methods(tally.methods, this.choice.method);
    this.reports = tally.n;
  }

  private async estimate(signal: AbortSignal): Promise<void> {
    const { method, level } = this.choice;
    try {
      this.shown = await this.api.estimate(method, level, signal);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 422) throw error;
      await this.seldom(signal);
      if (this.reports === 0) return this.nothing(); // another study of the same name, which nobody has answered yet
      this.refused = true;
      this.found.refuse(error.words); // the method does not work: what is shown is that of another one
      this.head.show(Math.floor(this.reports / (this.study?.reports ?? 1)), this.reports);
      return;
    }
    const { estimate } = this.shown;
    if (this.study && this.study.fingerprint !== estimate.fingerprint) {
      this.study = undefined; // it was replaced: what is promised is another thing now
      void this.check();
    }
    this.refused = false;
    this.found.refuse(undefined);
    this.head.show(estimate.people ?? estimate.n, estimate.n);
    const key = `${estimate.fingerprint} ${estimate.n} ${method} ${level}`;
    if (key === this.drawn.found) return;
    this.drawn.found = key;
    this.head.headline(estimate.headline ?? "", estimate.claim, estimate.marked);
    this.found.show(estimate, this.study);
    if (estimate.items?.some(({ name }) => name)) this.promise.call(estimate.items.map(({ item, name }) => visible(name ?? item)));
    if (this.found.tall) this.side.append(this.last); // beside a long finding there is room
    else this.columns.append(this.last);
    this.cautions.hidden = estimate.cautions.length === 0;
    fill(this.cautions, h("h2", {}, "What to be careful about"), h("ul", {}, ...estimate.cautions.map((caution) => h("li", {}, caution))));
  }

  /** There are too few reports to show results. */
  private few(error: Problem, reports: number): void {
    this.reports = 0;
    this.shown = undefined;
    this.drawn.found = "";
    this.cautions.hidden = true;
    this.found.clear();
    this.head.headline("");
    if (reports) this.found.wait(error.message);
    this.head.show(Math.floor(reports / (this.study?.reports ?? 1)), reports);
  }

  private nothing(): void {
    this.shown = undefined;
    this.drawn = { found: "", outlook: "" };
    this.cautions.hidden = true;
    this.found.clear();
    this.head.headline("");
    this.head.show(0, 0);
    void this.check();
  }

  private async lookAhead(signal: AbortSignal): Promise<void> {
    const { level, target } = this.choice;
    const method = this.refused ? "" : this.choice.method;
    const key = `${this.study?.fingerprint} ${this.shown?.estimate.n ?? 0} ${method} ${level} ${target}`;
    if (key === this.drawn.outlook) return;
    const outlook = await this.api.outlook(this.shown ? method : "", level, target, signal);
    this.outlook.show(outlook, this.shown?.estimate);
    this.drawn.outlook = key;
  }
}

/** Whether a compiled study is of the other kind than the page. One that can't be read is refused later. */
function ofOtherKind(text: string, version: number): boolean {
  try {
    const found = (JSON.parse(text) as { sottovoce?: unknown }).sottovoce;
    return found !== version && (found === 1 || found === 2);
  } catch {
    return false;
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof Problem ? error.words : error instanceof TypeError ? "Can’t reach the collector. Check your connection." : `Internal error of this page: ${String(error)}.`;
