import { type Fraction } from "../exact.js";
import { type Source } from "../source.js";
import { type WireForm, type Value, type Wire } from "./channel.js";
/** Several choices with a cap: a set of at most `cap` of the boxes, or one of the marks (such as a refusal), reported as a set of fixed size. */
export interface Capped extends Wire {
    readonly boxes: number;
    readonly marks: number;
    readonly cap: number;
    /** The largest Q(y|set)/Q(y|other set) over all reports and sets. No report shows a set. */
    readonly ratio: Fraction;
    /** A report about boxes that are ticked, or a mark (numbered behind the boxes). */
    draw(own: readonly number[], source: Source): Value;
}
export declare function capped(form: WireForm): Capped;
