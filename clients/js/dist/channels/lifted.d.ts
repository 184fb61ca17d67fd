import { type Channel, type WireForm, type SetLike } from "./channel.js";
/** A lifted channel, and the size of its base's sets. */
export interface Lifted extends Channel {
    readonly base: SetLike;
    readonly sensitive: readonly number[];
}
/** A channel over the sensitive items, for all items: the others make a neutral draw, or show themselves as they are. */
export declare function lifted(form: WireForm, base: Channel): Lifted;
/** One of two lifted channels over the same items, whose sets differ in size. */
export declare function mixed(form: WireForm, parts: readonly Lifted[]): Channel;
