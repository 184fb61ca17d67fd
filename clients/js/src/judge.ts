/** Whether a channel keeps a promise, decided on the whole numbers that are sampled. */
import type { Channel, Prior } from "./channels/index.js";
import { type Fraction, largest, less, power, UNIT } from "./exact.js";

export const BROKEN = "its tables do not keep its guarantee";

/** What is promised to a person in all. `budgets` has one entry for each input (null: none), `sensitive` is a test of inputs. */
export interface Promised {
  readonly notion: string;
  readonly epsilon: number;
  readonly budgets?: readonly (number | null)[];
  readonly prior?: Prior;
  /** Tags under which people mark items of their own; each is an input behind the items. */
  readonly tags: readonly string[];
  sensitive(input: number): boolean;
}

/** Some inputs that stand for all: two of each kind that the channel treats alike and the promise tells apart from others. */
export function representatives(channel: Channel, about: (input: number) => unknown = () => ""): number[] {
  const seen = new Map<string, number>();
  const found: number[] = [];
  for (let input = 0; input < channel.size; input += 1) {
    const key = `${channel.kind(input)}|${about(input)}`;
    const times = seen.get(key) ?? 0;
    if (times < 2) found.push(input);
    seen.set(key, times + 1);
  }
  return found;
}

/** The largest factor between two inputs, over the reports that show no input as it is. */
export function widest(channel: Channel): Fraction {
  const some = representatives(channel);
  return largest(some.flatMap((a) => some.map((b) => (a === b ? UNIT : channel.pair(a, b)))));
}

/** Whether so many reports of the channel keep the promise together. */
export function keeps(channel: Channel, promised: Promised, reports: number): boolean {
  const { notion, epsilon, budgets, prior } = promised;
  const budget = (input: number) => budgets?.[input] ?? Infinity;
  const some = representatives(channel, (input) => `${budget(input)} ${promised.sensitive(input)}`);
  const limits = new Map<number, Fraction>();
  const within = (ratio: Fraction, level: number) => {
    if (level === Infinity) return true;
    if (!limits.has(level)) limits.set(level, power(level, reports));
    return !less(limits.get(level)!, ratio);
  };
  const pairs = (level: (input: number, other: number) => number) =>
    some.every((input) => some.every((other) => input === other || within(channel.pair(input, other), level(input, other))));
  const hidden = (input: number) => !channel.reveals(input);
  switch (notion) {
    case "ldp":
      return some.every(hidden) && pairs(() => epsilon);
    case "uldp":
      return some.filter((input) => promised.sensitive(input)).every(hidden) && pairs(() => epsilon);
    case "minid":
      return some.every(hidden) && pairs((input, other) => Math.min(budget(input), budget(other)));
    case "item_uldp":
      return (
        some.filter((input) => budget(input) < Infinity).every(hidden) &&
        pairs((input, other) => (budget(input) < Infinity ? budget(input) : budget(other)))
      );
    case "ipldp":
      return (
        channel.names === true &&
        reports === 1 &&
        some.every((report) => {
          const weights = some.map(channel.weights({ code: report }));
          if (budget(report) === Infinity) return weights.every(([weight], k) => some[k] === report || !weight);
          const column = weights.map(([weight]) => weight).sort((a, b) => (a < b ? -1 : 1));
          return within([column.at(-1)!, column[0]!], budget(report));
        })
      );
    case "lip":
      return reports === 1 && some.every(hidden) && within(channel.belief(prior!), epsilon);
    default:
      return false;
  }
}
