import { must } from "../errors.js";
import { type Capped, capped } from "./capped.js";
import { type Channel, fields, type WireForm, list } from "./channel.js";
import { direct, matrix } from "./direct.js";
import { hadamard } from "./hadamard.js";
import { hashed, hashTables } from "./hashed.js";
import { type Lifted, lifted, mixed } from "./lifted.js";
import { subset, unary } from "./sets.js";
import { window } from "./window.js";

export type { Capped } from "./capped.js";
export type { Channel, WireForm, Prior, Value } from "./channel.js";

/** For each kind of channel its keys, and what is made of its form. */
const KINDS: Record<string, [keys: string[], make: (form: WireForm) => Channel]> = {
  direct: [["truth", "noise"], direct],
  unary: [["present", "absent"], unary],
  subset: [["items", "chosen", "include"], subset],
  hadamard: [["items", "block", "blocks", "include"], hadamard],
  hashed: [["items", "truth", "noise"], hashed],
  "hash-tables": [["items", "buckets", "tables"], hashTables],
  matrix: [["rows"], matrix],
  window: [["half", "gain", "noise", "items?", "sensitive?", "kept?"], window],
  lifted: [["items", "sensitive", "keep", "keep_empty", "base"], (form) => lifted(form, channelOf(form["base"]))],
  mixed: [["share", "parts"], (form) => mixed(form, list(form["parts"]).map(channelOf) as Lifted[])],
};

/** The channel of a form (spec/sampling.md); tables that no channel can have are refused. */
export function channelOf(form: unknown): Channel {
  const kind = (form as WireForm | null)?.["kind"];
  must(typeof kind === "string" && Object.hasOwn(KINDS, kind), `channel ${String(kind)} is unknown`);
  const [keys, make] = KINDS[kind]!;
  return make(fields(form, "kind", ...keys));
}

/** The channel of a part of a questionnaire, which can also be a capped one. */
export function partChannelOf(form: unknown): Channel | Capped {
  if ((form as WireForm | null)?.["kind"] !== "capped") return channelOf(form);
  return capped(fields(form, "kind", "boxes", "marks", "cap", "chosen", "include"));
}
