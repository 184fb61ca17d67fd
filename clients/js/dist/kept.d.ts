/** Where a device keeps its ledger: what all tabs agree on, and what is this tab's own. */
import { type Bounds, type Ledger } from "./ledger.js";
/** Where texts are kept: anything with these two methods. */
export interface Keeper {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
}
/** A ledger in storage. Drafts and marks stay in the tab, unless one storage is given for all. */
export declare class Kept {
    #private;
    /** Settled when what other tabs did is known, and what an earlier version of this module kept is cleaned up. */
    readonly ready: Promise<void>;
    constructor(storage: Keeper | undefined, bounds: Bounds);
    read(shared?: string | null): Ledger;
    /** Remove the unsent answers that survey pages of this origin keep, on the device and in this tab. */
    clear(): void;
    /** Change the ledger while no other page of this origin does; nothing is written if that fails. */
    change<T>(act: (ledger: Ledger) => T): Promise<T>;
}
