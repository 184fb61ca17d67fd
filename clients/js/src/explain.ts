import type { Channel, Value } from "./channels/index.js";
import { foreignReport } from "./errors.js";
import { digits, largest, less, over, power } from "./exact.js";
import { representatives } from "./judge.js";
import { blockAt, type Report } from "./report.js";
import type { Block, Study } from "./study.js";

/** What can happen to the odds of some answers, against any other answer. */
export interface Odds {
  /** The answers that it is about (their numbers; behind the items come the tags). */
  readonly inputs: readonly number[];
  /** A report can show (or this one does show) such an answer as it is. */
  readonly shown: boolean;
  /** Factors, rounded up to three digits: "2.72", "1" or "infinity". */
  readonly raised: string;
  readonly lowered: string;
  readonly words: string;
}

export interface Explanation {
  /** What is promised, in one or two sentences. */
  readonly promise: string;
  readonly odds: readonly Odds[];
  /** Of a report: the answers that it speaks for. */
  readonly names?: readonly number[];
  /** All of it as text. */
  readonly text: string;
}

export interface ExplainOptions {
  readonly level?: string;
  /** Explain this report, instead of what any report can do. */
  readonly report?: Report;
}

/** What an input is called: its item, or the tag that stands for an item of the person's own. */
const inputName = (study: Study, input: number): string =>
  input < study.domain.size ? study.domain.text(input) : `marked as ${study.tags[input - study.domain.size]}`;

/** What a study promises, and what a report can do to the odds of each answer: read off the tables, not off the study's own words. */
export function explain(study: Study, options: ExplainOptions = {}): Explanation {
  const block = blockAt(study, options.report ? options.report.level : (options.level ?? study.blocks[0]!.level));
  if (options.report && options.report.study !== study.fingerprint) throw foreignReport();
  const value = options.report && block.channel.decode(options.report.report);
  const [odds, names] = value ? oddsOf(block.channel, value) : [oddsOfAny(block)];
  const promise = promiseOf(block, study.reports);
  const lines = odds.map(({ inputs, words }) => `${enumerated(study, inputs)}: ${words}`);
  const head = names ? [`The report speaks for ${enumerated(study, names)}.`] : [];
  return { promise, odds, ...(names && { names }), text: [promise, ...head, ...lines].join("\n") };
}

/** Some inputs in words: all of a few, or the first and how many more there are. */
function enumerated(study: Study, inputs: readonly number[]): string {
  const shown = inputs.slice(0, 6).map((input) => inputName(study, input));
  if (shown.length < inputs.length) shown.push(`${inputs.length - shown.length} more`);
  return shown.join(", ") || "no answer";
}

function promiseOf({ promised }: Block, reports: number): string {
  if (!promised) return "Nothing is promised: the report shows your answer as it is.";
  const { notion, epsilon, budgets } = promised;
  const all = (budgets ?? [epsilon]).filter((each) => each !== null).sort((a, b) => a - b);
  const [least, most] = [all[0]!, all.at(-1)!].map((level) => digits(power(level)));
  const factor = budgets ? `the factor of the answer (${least} for the most sensitive, ${most} for the least)` : `a factor of ${most}`;
  const odds = `${reports > 1 ? `Your ${reports} reports together change` : "Your report changes"} the odds between any two answers by at most ${factor}`;
  const makes = (what: string) => `Your report makes no ${what} by more than ${factor}`;
  const open = ". An answer that is not sensitive may be shown as it is.";
  switch (notion) {
    case "uldp":
      return odds + open;
    case "minid":
      return `${odds}, the smaller of the two.`;
    case "ipldp":
      return `${odds}, of the one it names${open}`;
    case "item_uldp":
      return makes("sensitive answer likelier, against another,") + open;
    case "lip":
      return `${makes("answer likelier or less likely than the study expects")}.`;
    default:
      return `${odds}.`;
  }
}

/** The odds that any report can bring about: one entry for the answers that fare alike. */
function oddsOfAny({ channel }: Block): Odds[] {
  const some = representatives(channel);
  const kinds = new Map<string | number, Omit<Odds, "inputs">>();
  for (const input of some) {
    if (kinds.has(channel.kind(input))) continue;
    const others = some.filter((other) => other !== input);
    const shown = channel.reveals(input);
    const raised = digits(largest(others.map((other) => channel.pair(input, other))));
    const lowered = digits(largest(others.map((other) => channel.pair(other, input))));
    kinds.set(channel.kind(input), { shown, raised, lowered, words: (shown ? "shown as it is by some reports; by others " : "") + moves(raised, lowered) });
  }
  return grouped(channel.size, (input) => kinds.get(channel.kind(input))!);
}

/** Two factors in words. */
const moves = (raised: string, lowered: string): string =>
  [raised !== "1" && `up to ${raised} times likelier`, lowered !== "1" && `up to ${lowered} times less likely`].filter(Boolean).join(" or ") ||
  "no likelier and no less likely";

/** The odds that this report brings about, and the inputs that it speaks for: those that make it likeliest. */
export function oddsOf(channel: Channel, value: Value): [Odds[], number[]] {
  const weight = channel.weights(value);
  const weights = Array.from({ length: channel.size }, (_, input) => weight(input));
  const order = [...weights.keys()].sort((a, b) => (less(weights[a]!, weights[b]!) ? -1 : less(weights[b]!, weights[a]!) ? 1 : 0));
  const [least, most] = [weights[order[0]!]!, weights[order.at(-1)!]!];
  const alone = !weights[order.at(-2)!]![0];
  const odds = grouped(channel.size, (input) => {
    const weight = weights[input]!;
    const raised = weight[0] ? digits(over(weight, least)) : "1";
    const lowered = digits(over(most, weight));
    const shown = alone && weight[0] > 0n;
    return { shown, raised, lowered, words: shown ? "shown as it is" : weight[0] ? moves(raised, lowered) : "ruled out" };
  });
  return [odds, odds.flatMap(({ inputs, raised, lowered }) => (raised !== "1" && lowered === "1" ? inputs : []))];
}

function grouped(size: number, odds: (input: number) => Omit<Odds, "inputs">): Odds[] {
  const found = new Map<string, Odds & { inputs: number[] }>();
  for (let input = 0; input < size; input += 1) {
    const each = odds(input);
    const group = found.get(each.words) ?? { ...each, inputs: [] };
    group.inputs.push(input);
    found.set(each.words, group);
  }
  return [...found.values()];
}
