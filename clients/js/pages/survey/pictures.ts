/** How a survey works, in three pictures: one answer is changed by chance, many reports come together, the shares appear. */
import { h, s } from "../dom.js";
import type { Texts } from "../texts.js";
import example from "./example.json";

const ROW = 40;

/** An answer on its way to being another report. */
function change(say: Texts): SVGSVGElement {
  const turned = say.direction === "rtl";
  const at = (x: number) => (turned ? 280 - x : x);
  const word = (x: number, key: "box_yes" | "box_no") => s("text", { x: at(x), y: 152 }, say.t(key));
  return s(
    "svg",
    { viewBox: "0 0 280 168", "aria-hidden": "true" },
    s("circle", { class: "no", cx: at(60), cy: 80, r: 36 }),
    s("circle", { class: "yes", cx: at(220), cy: 80, r: 36 }),
    s("path", { class: "arrow", d: `M${at(114)} 80L${at(164)} 80M${at(150)} 68L${at(166)} 80L${at(150)} 92` }),
    word(60, "box_no"),
    word(220, "box_yes"),
  );
}

/** Whether each person's report says yes. */
const reports = [...example.reports].flatMap((letter) => [8, 4, 2, 1].map((bit) => (parseInt(letter, 16) & bit) > 0));

/** A dot for each report. */
function together(): SVGSVGElement {
  const dots = (kind: boolean) => reports.map((yes, k) => (yes === kind ? `M${4 + 7 * (k % ROW)} ${4 + 6.6 * Math.floor(k / ROW)}h0` : "")).join("");
  return s("svg", { viewBox: "0 0 281 168", "aria-hidden": "true" }, ...[true, false].map((kind) => s("path", { class: `dots ${kind ? "yes" : "no"}`, d: dots(kind) })));
}

/** The interval, the estimate and the truth, on a scale up to a half. */
function shares(say: Texts): SVGSVGElement {
  const at = (share: number) => 24 + 540 * share;
  const ticks = [0, 0.2, 0.4].flatMap((tick) => [s("path", { class: "axis", d: `M${at(tick)} 30V124` }), s("text", { class: "tick", x: at(tick), y: 152 }, percent(tick, say))]);
  return s(
    "svg",
    { viewBox: "0 0 280 168", "aria-hidden": "true" },
    ...ticks,
    s("path", { class: "truth-line", d: `M${at(example.truth)} 40V62` }),
    s("path", { class: "interval", d: `M${at(example.low)} 84H${at(example.high)}` }),
    s("circle", { class: "estimate", cx: at(example.share), cy: 84, r: 11 }),
  );
}

const percent = (share: number, say: Texts, digits = 0): string => say.number(share, { style: "percent", maximumFractionDigits: digits });

/** The three pictures with their words, folded away. `fixed` are answers that chance never changes. */
export function howItWorks(say: Texts, fixed = ""): HTMLElement {
  const ends = { low: percent(Math.floor(100 * example.low) / 100, say), high: percent(Math.ceil(100 * example.high) / 100, say) };
  const steps: [SVGSVGElement, string][] = [
    [change(say), say.sentences(say.t("picture_change", { chance: say.t("in_hundred", { number: Math.round(100 * example.swapped) }) }), fixed && say.t("pictures_fixed", { answers: fixed }))],
    [together(), say.t("picture_together", { yes: reports.filter(Boolean).length, people: example.people })],
    [shares(say), say.t("picture_shares", { ...ends, truth: percent(example.truth, say) })],
  ];
  return h("details", { id: "pictures" }, h("summary", {}, say.t("pictures")), h("ol", { class: "pictures" }, ...steps.map(([picture, words]) => h("li", {}, picture, h("p", {}, words)))));
}
