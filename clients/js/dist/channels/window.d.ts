import { type Channel, type WireForm } from "./channel.js";
/** Noise in every report, and `gain` more in the 2·half + 1 reports around the own place. A free item keeps some of every report, and shows itself otherwise. */
export declare function window(form: WireForm): Channel;
