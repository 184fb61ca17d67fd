/** Answers that always make the same report, although it shows no answer: some channels send an only sensitive answer as it is, and others send it by chance. */
import type { Channel } from "../../src/channels/index.js";
import type { Lifted } from "../../src/channels/lifted.js";
import { ONE, over } from "../../src/exact.js";
import { representatives } from "../../src/judge.js";
import type { Texts } from "../texts.js";

/** Whether an input makes one report with certainty: its share is 2^64, or it's the only set of the only sensitive item. */
export function isFixed(channel: Channel, input: number): boolean {
  const { base, sensitive } = channel as Partial<Lifted>;
  if (base) return base.size === 1 && base.chosen === 1 && sensitive![0] === input;
  const [share, all] = channel.weights(channel.draw(input, { word: () => 0n }))(input); // tables give shares out of 2^64, and sets give quotients
  return share === ONE && all === 1n;
}

/** The inputs that always make the same report, which others can make too. */
export function fixedInputs(channel: Channel): number[] {
  const kinds = new Map<string | number, boolean>();
  return Array.from({ length: channel.size }, (_, input) => input).filter((input) => {
    const kind = channel.kind(input);
    if (!kinds.has(kind)) kinds.set(kind, !channel.reveals(input) && isFixed(channel, input));
    return kinds.get(kind);
  });
}

/** The least share of people with another answer who make the report of a fixed input. They make it by chance. */
export function shareOf(channel: Channel, input: number): number {
  const weight = channel.weights(channel.draw(input, { word: () => 0n }));
  const shares = representatives(channel).filter((other) => other !== input).map((other) => over(weight(other), weight(input))); // the input itself makes it always
  return Math.min(...shares.map(([part, whole]) => Number(part) / Number(whole)));
}

/** A share in words: "37%". */
export const shareName = (share: number, say: Texts): string => say.number(share, { style: "percent", maximumSignificantDigits: 2 });
