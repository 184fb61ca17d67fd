import { type Channel, channelOf, type WireForm } from "./channels/index.js";
import { count, different, fields, list } from "./channels/channel.js";
import { decimal, type Domain, domainOf } from "./domain.js";
import { must } from "./errors.js";
import { BROKEN, keeps, type Promised } from "./judge.js";
import { checked, loaded, type LoadOptions, plain } from "./load.js";

/** One level of protection: what it promises (null: it hides nothing), and its channel. */
export interface Block {
  readonly level: string;
  readonly promised: Promised | null;
  readonly channel: Channel;
}

/** A study that has been checked: its fingerprint fits, and its tables keep its promise. */
export interface Study {
  readonly name: string;
  readonly question: string;
  readonly domain: Domain;
  /** Tags under which people mark items of their own. */
  readonly tags: readonly string[];
  /** Reports that a person gives. */
  readonly reports: number;
  /** Reports from which on the collector shows results. */
  readonly minimum: number;
  readonly blocks: readonly Block[];
  readonly fingerprint: string;
  /** Where it was loaded from. */
  readonly url: string;
  /** Whether its administrator had closed it when it was loaded. */
  readonly closed?: boolean;
}

/** Fetch a compiled study from a collector, and check it. */
export const loadStudy = (url: string | URL, options: LoadOptions = {}): Promise<Study> => loaded(url, options, readStudy);

/** Check a compiled study, given as text or as the object that the text stands for. */
export const readStudy = (json: unknown, url = ""): Promise<Study> =>
  checked(json, 1, ["question", "domain", "reports", "blocks", "minimum?"], (form) => studyOf(form, plain(url)));

function studyOf(form: Record<string, any>, url: string): Study {
  const { name, question, reports, minimum = 50, fingerprint } = form;
  must(typeof question === "string" && question.trim() !== "", "it asks nothing");
  must(count(reports) <= 1000 && form["minimum"] !== 50, "a count is out of range");
  const domain = domainOf(form["domain"]);
  const blocks = list(form["blocks"]).map((each) => blockOf(each, domain));
  const tags = blocks[0]!.promised?.tags ?? [];
  const levels = new Set(blocks.map(({ level }) => level));
  must(
    levels.size === blocks.length &&
      (blocks.length === 1 || !levels.has("")) &&
      blocks.every(({ promised }) => JSON.stringify(promised?.tags ?? []) === JSON.stringify(tags)) &&
      blocks.some(({ promised }) => promised),
    "its levels do not fit",
  );
  for (const { channel, promised } of blocks) {
    must(channel.size === domain.size + tags.length, "a channel is for other items");
    must(!promised || keeps(channel, promised, reports), BROKEN);
  }
  return { name, question, domain, tags, reports, minimum, blocks, fingerprint, url };
}

function blockOf(each: unknown, domain: Domain): Block {
  const { level, channel, privacy } = fields(each, "level", "privacy", "mechanism", "channel") as Record<string, any>;
  must(typeof level === "string", "a level has no name");
  return { level, promised: privacy === null ? null : promiseOf(privacy, domain), channel: channelOf(channel) };
}

/** What each notion needs besides its name. */
const NEEDS: Record<string, readonly string[]> = {
  ldp: ["epsilon"],
  uldp: ["epsilon", "sensitive?", "tags?"],
  ipldp: ["budgets"],
  minid: ["budgets"],
  item_uldp: ["budgets"],
  lip: ["epsilon", "prior"],
};

function promiseOf(form: WireForm, domain: Domain): Promised {
  const notion = String(form["notion"]);
  must(Object.hasOwn(NEEDS, notion), `${notion} is no notion`);
  fields(form, "notion", ...NEEDS[notion]!);
  if (NEEDS[notion]!.includes("budgets")) {
    const budgets = list(form["budgets"]).map((each) => (each === null ? null : budgetOf(each)));
    must(budgets.length === domain.size && budgets.some((each) => each !== null), "budgets are for other items");
    must(notion !== "minid" || budgets.every((each) => each !== null), "an item has no budget");
    return { notion, epsilon: 0, budgets, tags: [], sensitive: (input) => budgets[input] !== null };
  }
  const tags = "tags" in form ? (list(form["tags"]) as string[]) : [];
  must(tags.every((tag) => typeof tag === "string" && tag) && different(tags), "tags do not differ");
  const marked = "sensitive" in form ? list(form["sensitive"]) : [];
  const codes = new Set(marked);
  must(marked.every((code) => count(code, 0) < domain.size) && codes.size === marked.length, "a sensitive item is unknown");
  must(notion !== "uldp" || marked.length + tags.length > 0, "nothing is sensitive");
  const found = { notion, epsilon: budgetOf(form["epsilon"]), tags, sensitive: (input: number) => input >= domain.size || codes.has(input) };
  if (notion !== "lip") return found;
  const { weights, total } = fields(form["prior"], "weights", "total");
  const read = (value: unknown) => {
    must(typeof value === "string" && /^[1-9]\d*$/.test(value), "a weight is not whole");
    return BigInt(value);
  };
  const prior = { weights: list(weights).map(read), total: read(total) };
  must(prior.weights.length === domain.size && prior.weights.reduce((a, b) => a + b) === prior.total, "the prior does not sum to 1");
  return { ...found, prior };
}

/** A level of privacy, or a budget. */
export function budgetOf(value: unknown): number {
  const found = decimal(value);
  must(found >= 1e-6 && found <= 40, "a budget is out of range");
  return found;
}
