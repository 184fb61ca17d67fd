/** What kind of thing went wrong: the study, the item, the source of randomness, the ledger, a report, the line, or the collector's refusal. */
export type Kind = "study" | "domain" | "source" | "ledger" | "report" | "line" | "refused";
/** Every error of this module. The message says what is wrong and what to do. */
export declare class SottovoceError extends Error {
    readonly kind: Kind;
    /** The status of the collector's answer, where there was one. */
    readonly status: number | undefined;
    constructor(kind: Kind, message: string, status?: number);
}
/** Refuse a study unless what must hold of it does. */
export declare function must(holds: boolean, message: string): asserts holds;
/** The error of a level that a study doesn't have. Its only level is called "" if people choose none. */
export declare function unknownLevel(levels: readonly string[]): SottovoceError;
/** The error of a report that was made for another study. */
export declare const foreignReport: () => SottovoceError;
