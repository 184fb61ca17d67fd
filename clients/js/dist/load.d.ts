export interface LoadOptions {
    readonly fetch?: typeof fetch;
    readonly signal?: AbortSignal;
}
/** What `read` makes of a compiled study that is fetched from a collector. */
export declare function loaded<T extends object>(url: string | URL, options: LoadOptions, read: (json: unknown, url: string) => Promise<T>): Promise<T>;
/** What `make` makes of a compiled study, given as text or as the object that the text stands for, whose keys and fingerprint are right. */
export declare function checked<T>(json: unknown, version: number, keys: string[], make: (form: Record<string, any>) => T): Promise<T>;
/** An address without what follows the path. */
export declare const plain: (url: string) => string;
/** Why a collector refused, from its problem document if there is one. */
export declare function problem(text: string, status: number): string;
/** The SHA-256 of the canonical form (spec/study.md), in hexadecimal. */
export declare function fingerprintOf(form: unknown): Promise<string>;
