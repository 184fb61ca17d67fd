/** What the page asks the collector, and what it answers. The token goes into a header, never into an address. */
export interface Share {
  readonly item: string;
  /** What people call it, if that differs. */
  readonly name?: string;
  readonly p: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Whether it can be told from zero, if that's known. */
  readonly found?: boolean;
  /** What to read before the share. */
  readonly remark?: string;
}

/** A number that sums up the answers, with its interval. */
export interface Summary {
  readonly q?: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** What to know before reading it: can't tell. */
  readonly remark?: string;
  readonly note?: string;
}

export interface Estimate {
  readonly study: string;
  readonly fingerprint: string;
  readonly n: number;
  readonly people: number;
  readonly method: string;
  readonly level: number;
  readonly items: readonly Share[];
  /** The shares of each axis of a product, by its name. */
  readonly margins: Readonly<Record<string, readonly Share[]>>;
  readonly found: { readonly count: number; readonly words: string } | null;
  readonly note: string;
  /** What was found, in a sentence. */
  readonly headline: string;
  /** Its beginning, which pages show larger. */
  readonly claim: string;
  readonly mean?: Summary;
  readonly quantiles?: readonly Summary[];
  /** The shares of the answers up to some numbers. */
  readonly cumulative?: readonly { readonly value: number; readonly p: number; readonly low: number; readonly high: number }[];
  readonly tags?: readonly (Omit<Share, "item"> & { readonly tag: string })[];
  /** What to know about the answers that people marked, in sentences. */
  readonly marked?: string;
  readonly cautions: readonly string[];
}

/** The estimate of a question of a questionnaire. */
export interface QuestionEstimate extends Pick<Estimate, "n" | "method" | "items" | "mean" | "quantiles" | "cumulative" | "cautions"> {
  readonly text: string;
  /** What was found, in a sentence. */
  readonly headline: string;
  /** Its beginning, which pages show larger. */
  readonly claim: string;
  /** Who was asked, and how many people reported about it; and those who answered, for a phrase. */
  readonly asked: string;
  readonly whom: string;
  /** The shares among those who answered, if some didn't. */
  readonly answered?: readonly Share[];
  readonly margins?: Estimate["margins"];
  readonly note?: string;
}

/** The estimate of questions that were asked together. */
export interface TogetherEstimate extends Pick<Estimate, "n" | "method" | "items" | "cautions"> {
  /** The answers to each question; in the items, the last one changes fastest. */
  readonly axes: Readonly<Record<string, readonly string[]>>;
  /** Of two questions: the shares among those who gave the same answer to the first. */
  readonly within?: readonly Share[];
}

export interface QuestionnaireEstimate extends Pick<Estimate, "study" | "fingerprint" | "n" | "level" | "cautions"> {
  readonly questions: Readonly<Record<string, QuestionEstimate>>;
  readonly together?: Readonly<Record<string, TogetherEstimate>>;
  /** How the estimates could use more of what the reports say. */
  readonly note?: string;
}

export interface QuestionOutlook extends Pick<Outlook, "people" | "margin" | "needed" | "more"> {
  readonly text: string;
  /** Whether these are shares of ranges of numbers. */
  readonly ranges: boolean;
  /** Whether these are shares among those who answered, because some don't. */
  readonly answered: boolean;
  /** The half-width of the interval of the mean, of numbers. */
  readonly mean: number | null;
}

export interface QuestionnaireOutlook extends Pick<Outlook, "people" | "level" | "target"> {
  readonly questions: Readonly<Record<string, QuestionOutlook>>;
}

export interface Outlook {
  readonly people: number;
  readonly level: number;
  readonly margin: number | null;
  /** The widest interval, which the margin is half of. */
  readonly widest: { readonly item: string; readonly low: number; readonly high: number } | null;
  /** The half-width that remains however many people answer. */
  readonly least: number | null;
  /** Whether the intervals put at least one item before another. */
  readonly ranked: boolean;
  readonly tv: number | null;
  readonly target: number;
  readonly needed: number | null;
  readonly more: number | null;
  readonly curve: readonly { readonly people: number; readonly margin: number; readonly tv: number }[];
  readonly note: string | null;
}

export interface Tally {
  readonly n: number;
  readonly methods: readonly { readonly method: string; readonly about: string }[];
}

export interface Listed {
  readonly fingerprint: string;
  readonly name: string;
  readonly question: string;
  readonly state: string;
}

/** A refusal: what is wrong, and what to do. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly remedy: string,
    /** Reports so far, if they are too few to show results. */
    readonly few?: number,
  ) {
    super(detail);
  }

  /** Whether another token would help. */
  get token(): boolean {
    return this.status === 401 || this.status === 403;
  }

  get words(): string {
    return sentences(this.message, this.remedy);
  }
}

/** Texts as sentences, one after the other. */
const sentences = (...texts: string[]): string =>
  texts
    .filter(Boolean)
    .map((text) => text[0]!.toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : "."))
    .join(" ");

/** Asks for the estimate and the outlook of a study, which are of the types of its kind. */
export class Api<E, O> {
  constructor(
    private readonly study: string,
    private readonly token: string,
  ) {}

  async estimate(method: string, level: number, signal: AbortSignal): Promise<{ text: string; estimate: E }> {
    const text = await (await this.ask("/estimate", { ...(method && { method }), level }, signal)).text();
    return { text, estimate: JSON.parse(text) as E };
  }

  async outlook(method: string, level: number, target: number, signal: AbortSignal): Promise<O> {
    return (await this.ask("/outlook", { ...(method && { method }), level, target }, signal)).json() as Promise<O>;
  }

  async tally(signal: AbortSignal): Promise<Tally> {
    return (await this.ask("/tally", {}, signal)).json() as Promise<Tally>;
  }

  /** The studies that the token opens, and those that ask to be listed. */
  async studies(signal: AbortSignal): Promise<readonly Listed[]> {
    return listed(await fetched("/studies", this.bearer, signal));
  }

  async reports(): Promise<Blob> {
    return (await this.ask("/export", {})).blob();
  }

  private ask(path: string, query: Record<string, string | number>, signal?: AbortSignal): Promise<Response> {
    const entries = Object.entries(query).map(([key, value]) => [key, String(value)]);
    const parameters = new URLSearchParams(entries).toString();
    return fetched(`/studies/${this.study}${path}${parameters && `?${parameters}`}`, this.bearer, signal);
  }

  private get bearer(): Record<string, string> {
    return { authorization: `Bearer ${this.token}` };
  }
}

/** The compiled study, as text: its fingerprint is computed from it. */
export const compiled = async (study: string): Promise<string> => (await fetched(`/studies/${study}`)).text();

/** The study with a name, if it exists. It need not ask to be listed. */
export const named = async (study: string, signal?: AbortSignal): Promise<Listed | undefined> =>
  (await listed(await fetched(`/studies?name=${study}`, {}, signal)))[0];

const listed = async (answer: Response): Promise<readonly Listed[]> => ((await answer.json()) as { studies: Listed[] }).studies;

async function fetched(url: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  const answer = await fetch(url, { headers, cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer", signal: signal ?? null });
  if (answer.ok) return answer;
  const found = (await answer.json().catch(() => ({}))) as { type?: string; detail?: string; title?: string; remedy?: string; reports?: number };
  const few = found.type === "/problems/few-reports" ? (found.reports ?? 0) : undefined;
  throw new Problem(answer.status, found.detail ?? found.title ?? `The collector answered ${answer.status}.`, found.remedy ?? "", few);
}
