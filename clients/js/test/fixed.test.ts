/** Answers that always make the same report: what the integers say, against many draws. */
import { describe, expect, it } from "vitest";
import { fixedInputs, shareOf } from "../pages/survey/fixed.js";
import { channelOf } from "../src/channels/index.js";
import { ONE } from "../src/exact.js";
import { files, read } from "./support.js";

/** Words from a seed (splitmix64). */
function words(seed = 1n) {
  let state = seed;
  return {
    word() {
      state = BigInt.asUintN(64, state + 0x9e3779b97f4a7c15n);
      let z = state;
      z = BigInt.asUintN(64, (z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
      z = BigInt.asUintN(64, (z ^ (z >> 27n)) * 0x94d049bb133111ebn);
      return z ^ (z >> 31n);
    },
  };
}

/** The inputs that no report shows and whose reports were all the same. */
function drawn(form: object): number[] {
  const channel = channelOf(form);
  const source = words();
  const reports = (input: number) => new Set(Array.from({ length: 200 }, () => JSON.stringify(channel.encode(channel.draw(input, source)))));
  return Array.from({ length: channel.size }, (_, input) => input).filter((input) => !channel.reveals(input) && reports(input).size === 1);
}

const share = (part: number) => `${(ONE / 1000n) * BigInt(part)}`;
const rest = (...shares: string[]) => `${shares.reduce((left, each) => left - BigInt(each), ONE)}`;
const lifted = (sensitive: number[], chosen: number) => ({
  kind: "lifted", items: 4, sensitive, keep: share(400), keep_empty: share(400),
  base: { kind: "subset", items: sensitive.length, chosen, include: chosen === sensitive.length ? `${ONE}` : share(800) },
});
const urr = (...noise: string[]) => ({ kind: "direct", truth: rest(...noise), noise });
const row = (...shares: number[]) => shares.map((each) => (each === 1000 ? `${ONE}` : share(each)));
const FORMS: Record<string, [form: object, fixed: number[]]> = {
  "urr with one sensitive answer": [urr("0", share(300), "0"), [1]],
  "urr with two": [urr("0", share(300), share(300)), []],
  "ubd with one": [lifted([2], 1), [2]],
  "ubd with two": [lifted([0, 2], 1), []],
  "ubd that mixes sets of one and of all": [{ kind: "mixed", share: share(500), parts: [lifted([0, 2], 2), lifted([0, 2], 1)] }, []],
  "a window with one": [{ kind: "window", half: 0, gain: share(900), noise: [rest(share(900))], items: 3, sensitive: [1], kept: [share(300)] }, [1]],
  "a table with one": [{ kind: "matrix", rows: [row(1000, 0), ["1", `${ONE - 1n}`]] }, [0]],
  "a table that shows all answers": [{ kind: "matrix", rows: [row(1000, 0), row(0, 1000)] }, []],
};

describe.each(Object.entries(FORMS))("%s", (_, [form, fixed]) => {
  it("is told from the integers", () => expect(fixedInputs(channelOf(form))).toEqual(fixed));
  it("is so in many draws", () => expect(fixedInputs(channelOf(form)).every((input) => drawn(form).includes(input))).toBe(true));
});

describe("people with another answer who send the same", () => {
  it.each([
    ["urr with one sensitive answer", 1, 0.3],
    ["ubd with one", 2, 0.4],
    ["a window with one", 1, 0.3],
    ["a table with one", 0, 2 ** -64],
  ])("%s", (name, input, least) => expect(shareOf(channelOf(FORMS[name]![0]), input) / least).toBeCloseTo(1, 9));

  it("are as many in draws", () => {
    const channel = channelOf(FORMS["ubd with one"]![0]);
    const source = words(7n);
    const fixed = JSON.stringify(channel.encode(channel.draw(2, source)));
    const same = Array.from({ length: 4000 }, () => JSON.stringify(channel.encode(channel.draw(0, source)))).filter((report) => report === fixed).length;
    expect(Math.abs(same / 4000 - shareOf(channel, 2))).toBeLessThan(0.04); // five standard deviations
  });
});

it.each(files(".").filter((name) => !("cap" in read(name).channel)))("%s: as many draws show", (name) => {
  const { channel } = read(name);
  expect(fixedInputs(channelOf(channel))).toEqual(drawn(channel));
});
