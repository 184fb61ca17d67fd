import { type Fraction } from "../exact.js";
import { type Source } from "../source.js";
import { type Channel, type WireForm } from "./channel.js";
/** The noise of a direct report: the truth with probability `truth`, otherwise item y with probability `noise[y]`. */
export interface Direct {
    readonly truth: bigint;
    readonly noise: readonly bigint[];
}
export declare function directOf(form: WireForm): Direct;
export declare function drawDirect({ noise }: Direct, own: number, source: Source): number;
/** Pr(y)/Q(y|x) and Q(y|x)/Pr(y) for a report whose holders have the weight `mass` in the prior. */
export declare function beliefs({ truth, noise }: Direct, report: number, mass: bigint, total: bigint): Fraction[];
export declare function direct(form: WireForm): Channel;
/** Explicit rows: row x holds the probability of every report. */
export declare function matrix(form: WireForm): Channel;
