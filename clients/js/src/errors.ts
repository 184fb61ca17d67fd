/** What kind of thing went wrong: the study, the item, the source of randomness, the ledger, a report, the line, or the collector's refusal. */
export type Kind = "study" | "domain" | "source" | "ledger" | "report" | "line" | "refused";

/** Every error of this module. The message says what is wrong and what to do. */
export class SottovoceError extends Error {
  declare readonly kind: Kind;
  /** The status of the collector's answer, where there was one. */
  declare readonly status: number | undefined;
  constructor(kind: Kind, message: string, status?: number) {
    super(message);
    Object.assign(this, { name: "SottovoceError", kind, status });
  }
}

/** Refuse a study unless what must hold of it does. */
export function must(holds: boolean, message: string): asserts holds {
  if (!holds) throw new SottovoceError("study", message);
}

/** The error of a level that a study doesn't have. Its only level is called "" if people choose none. */
export function unknownLevel(levels: readonly string[]): SottovoceError {
  const known = levels.join(", ");
  return new SottovoceError("domain", known ? `Choose one of the levels ${known}.` : "This study has no levels.");
}

/** The error of a report that was made for another study. */
export const foreignReport = () => new SottovoceError("report", "This is not a report of this study.");
