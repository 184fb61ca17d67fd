import { type WireForm, type SetLike } from "./channel.js";
/** Hadamard response: items are rows of a Hadamard matrix, block by block; a report is a column, and stands for the rows with a + there. */
export declare function hadamard(form: WireForm): SetLike;
