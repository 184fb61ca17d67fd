import type { Item } from "./domain.js";
import { SottovoceError, unknownLevel } from "./errors.js";
import { hex, secureSource, type Source } from "./source.js";
import type { Block, Study } from "./study.js";

/** One report: exactly what leaves the device. */
export interface Report {
  /** The fingerprint of the study. */
  readonly study: string;
  /** 128 random bits, so that a report that is sent again counts once. */
  readonly id: string;
  readonly report: number | string;
  /** The level that the person chose, where the study has levels. */
  readonly level?: string;
}

/** A person's own sensitive items, tag by tag. They stay on the device. */
export type Marks = Readonly<Record<string, readonly Item[]>>;

export interface PerturbOptions {
  /** Randomness; by default the system's. Give another only to check vectors. */
  readonly source?: Source;
  readonly level?: string;
  readonly marks?: Marks;
}

/** The block of a level. */
export function blockAt(study: Study, level = ""): Block {
  const found = study.blocks.find((block) => block.level === level);
  if (found) return found;
  throw unknownLevel(study.blocks.map((block) => block.level));
}

/** What enters the channel: the item's number, or that of the tag under which its person has marked it. */
export function inputOf(study: Study, item: Item, marks: Marks = {}): number {
  const code = study.domain.code(item);
  const under = Object.keys(marks).filter((tag) => marks[tag]!.some((each) => study.domain.code(each) === code));
  const unknown = Object.keys(marks).find((tag) => !study.tags.includes(tag));
  if (unknown !== undefined) throw new SottovoceError("domain", `${unknown} is not a tag of this study.`);
  if (under.length > 1) throw new SottovoceError("domain", "An item is marked with two tags.");
  return under.length ? study.domain.size + study.tags.indexOf(under[0]!) : code;
}

/** Where the reports of a study are sent. */
const places = new WeakMap<Report, string>();
export const placeOf = (report: Report): string | undefined => places.get(report);

/**
 * One report about an item, drawn from the study's channel. Nothing leaves.
 *
 * Drawing anew about the same answer tells more each time: use a `Device`, which keeps count.
 */
export function perturb(study: Study, item: Item, options: PerturbOptions = {}): Report {
  const random = secureSource();
  const { level, channel } = blockAt(study, options.level);
  return made(study, channel.encode(channel.draw(inputOf(study, item, options.marks), options.source ?? random)), level);
}

/** What was drawn as a report of a study, with an identifier of its own. */
export function made(study: { readonly fingerprint: string; readonly url: string }, drawn: number | string, level: string): Report {
  const random = secureSource();
  const report: Report = { study: study.fingerprint, id: hex([random.word(), random.word()], 16), report: drawn, ...(level && { level }) };
  places.set(report, study.url);
  return report;
}
