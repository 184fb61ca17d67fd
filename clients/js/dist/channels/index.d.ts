import { type Channel } from "./channel.js";
export type { Channel, Form, Prior, Value } from "./channel.js";
/** The channel of a form (spec/sampling.md); tables that no channel can have are refused. */
export declare function channelOf(form: unknown): Channel;
