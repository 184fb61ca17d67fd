import { type Capped } from "./capped.js";
import { type Channel } from "./channel.js";
export type { Capped } from "./capped.js";
export type { Channel, WireForm, Prior, Value } from "./channel.js";
/** The channel of a form (spec/sampling.md); tables that no channel can have are refused. */
export declare function channelOf(form: unknown): Channel;
/** The channel of a part of a questionnaire, which can also be a capped one. */
export declare function partChannelOf(form: unknown): Channel | Capped;
