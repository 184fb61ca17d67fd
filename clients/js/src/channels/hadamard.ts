import { must } from "../errors.js";
import { ONE } from "../exact.js";
import { uniform } from "../source.js";
import { AGAINST, codes, count, type WireForm, integer, type SetLike } from "./channel.js";
import { evenly } from "./sets.js";

/** Whether a number has an even number of ones. */
const even = (bits: number): boolean => {
  let found = true;
  for (let rest = bits; rest; rest &= rest - 1) found = !found;
  return found;
};
const isPower = (n: number): boolean => (n & (n - 1)) === 0;

/** Hadamard response: items are rows of a Hadamard matrix, block by block; a report is a column, and stands for the rows with a + there. */
export function hadamard(form: WireForm): SetLike {
  const [size, block, blocks] = [count(form["items"]), count(form["block"], 2), count(form["blocks"])];
  const include = integer(form["include"]);
  const length = block * blocks;
  must(length <= 2 ** 30 && isPower(block) && isPower(length) && size <= (block - 1) * blocks, "blocks do not fit");
  const [half, all] = [BigInt(block / 2), BigInt(length)];
  must(half * ONE <= include * all && include < ONE, AGAINST);
  const home = (item: number) => Math.floor(item / (block - 1));
  const row = (item: number) => 1 + (item % (block - 1));
  const column = (r: number, index: number, wanted: boolean) => {
    const bit = r & -r;
    const found = Math.floor(index / bit) * 2 * bit + (index % bit);
    return even(found & r) === wanted ? found : found + bit;
  };
  const holds: SetLike["holds"] = ({ code }) => (item) => home(item) === Math.floor(code! / block) && even(row(item) & code! % block);
  return {
    ...evenly(size, 0, [include * all, ONE * half], [(ONE - include) * all, ONE * (all - half)], holds),
    draw(item, source) {
      const [start, r] = [home(item) * block, row(item)];
      if (source.word() < include) return { code: start + column(r, Number(uniform(half, source)), true) };
      const index = Number(uniform(all - half, source)) - block / 2;
      if (index < 0) return { code: start + column(r, index + block / 2, false) };
      return { code: index < start ? index : index + block };
    },
    neutral: (source) => ({ code: Number(uniform(all, source)) }),
    ...codes(length),
    shown: (item) => ({ code: length + item }),
    room: (items) => codes(length + items),
  };
}
