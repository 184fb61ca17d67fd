import { SottovoceError } from "./errors.js";
import { placeOf, type Report } from "./report.js";
import { plain, problem } from "./load.js";

export interface SubmitOptions {
  /** The address of the study; known where the report was made by `perturb`. */
  readonly url?: string;
  /** A ticket, where the study asks for one. */
  readonly ticket?: string | undefined;
  /** How often it is tried; 5 times by default. */
  readonly attempts?: number;
  /** How long an attempt may take, in milliseconds; 30,000 by default. */
  readonly timeout?: number;
  /** Lets the request outlive the page; its body may have at most 64 KiB then. */
  readonly keepalive?: boolean;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal;
}

/** How many were counted now, and how many had been counted before. Both are on the collector's disk. */
export interface Receipt {
  readonly accepted: number;
  readonly repeated: number;
}

/** How many seconds a collector wants to be left alone. */
export function wait({ headers }: Response): number {
  const after = headers.get("retry-after") ?? "";
  return Math.max(0, Number(after) || (Date.parse(after) - Date.now()) / 1000 || 0);
}

/**
 * Send a report (or all those of one person), again and again until it is acknowledged: the bytes are the same each time, and it counts once.
 *
 * An error of the kind "line" means that it may be sent again later; "refused" that the collector does not want it.
 */
export async function submit(reports: Report | readonly Report[], options: SubmitOptions = {}): Promise<Receipt> {
  const all = [reports].flat() as Report[];
  const url = options.url ?? (all[0] && placeOf(all[0]));
  if (!url) throw new SottovoceError("report", "The url of the study is missing.");
  if (/[^!-~]/.test(options.ticket ?? "")) throw new SottovoceError("refused", "The ticket is invalid."); // it cannot stand in a header
  const request: RequestInit = {
    method: "POST",
    body: JSON.stringify(all.length === 1 ? all[0] : all),
    headers: { "Content-Type": "application/json", ...(options.ticket && { Authorization: `Ticket ${options.ticket}` }) },
    credentials: "omit",
    referrerPolicy: "no-referrer",
    cache: "no-store",
    redirect: "error",
    keepalive: options.keepalive ?? false,
  };
  const { signal, attempts = 5 } = options;
  let reason = "";
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    let pause = Math.random() * Math.min(30, 2 ** (attempt - 1)); // so that those who lost the line together don't come back together
    const limits = [AbortSignal.timeout(options.timeout ?? 30_000), ...(signal ? [signal] : [])];
    try {
      signal?.throwIfAborted();
      const answer = await (options.fetch ?? fetch)(`${plain(url)}/reports`, { ...request, signal: AbortSignal.any(limits) });
      const text = await answer.text();
      if (answer.ok) {
        const { accepted, repeated } = JSON.parse(text) as Receipt;
        // anything else is not from the collector
        if (Number.isInteger(accepted) && accepted >= 0 && repeated >= 0 && accepted + repeated === all.length) return { accepted, repeated };
      }
      reason = problem(text, answer.status);
      if (answer.status >= 400 && answer.status < 500 && answer.status !== 408 && answer.status !== 429)
        throw new SottovoceError("refused", reason, answer.status);
      pause += Math.min(60, wait(answer));
    } catch (error) {
      if (error instanceof SottovoceError) throw error;
      signal?.throwIfAborted();
      reason = (error as Error).message;
    }
    if (attempt < attempts) {
      const over = new AbortController();
      await new Promise((resolve) => {
        setTimeout(resolve, 1000 * pause);
        signal?.addEventListener("abort", resolve, { signal: over.signal });
      });
      over.abort();
    }
  }
  throw new SottovoceError("line", `Not acknowledged, send it again later: ${reason}`);
}
