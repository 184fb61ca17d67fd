/** What reports can do to odds, in words. */
import type { Odds } from "../../src/index.js";
import type { Texts } from "../texts.js";

/** A factor that the library has rounded up, such as "2.72", as the language writes it. */
export const factorName = (text: string, say: Texts): string => (Number.isFinite(Number(text)) ? say.number(Number(text), { maximumSignificantDigits: 3 }) : "∞");

/** Two factors in words. */
function moves({ raised, lowered }: Odds, say: Texts): string {
  if (raised === "1" && lowered === "1") return say.t("odds_same");
  if (lowered === "1") return say.t("odds_likelier", { factor: factorName(raised, say) });
  if (raised === "1") return say.t("odds_less", { factor: factorName(lowered, say) });
  return say.t("odds_either", { raised: factorName(raised, say), lowered: factorName(lowered, say) });
}

/** What any report can do to the odds of an answer. */
export const oddsOfAny = (odds: Odds, say: Texts): string => (odds.shown ? say.t("odds_sometimes_shown", { rest: moves(odds, say) }) : moves(odds, say));

/** What one report does to them. */
export function oddsOfOne(odds: Odds, say: Texts): string {
  if (odds.shown) return say.t("odds_shown");
  return odds.lowered === "infinity" ? say.t("odds_ruled_out") : moves(odds, say);
}
