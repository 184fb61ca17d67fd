import { fill, h } from "../dom.js";
import type { QuestionEstimate, Share } from "./api.js";
import { claimed } from "./head.js";
import type { Asked } from "./promise.js";
import { type Scale, Shares } from "./shares.js";
import { Shown } from "./shown.js";

/** The way back to the table of contents. */
export const back = (): HTMLElement => h("p", { class: "back small" }, h("a", { href: "#in-short" }, "Back to the contents"));

/** What to be careful about, behind what it is about. */
export const warned = (cautions: readonly string[]): HTMLElement =>
  h("div", { class: "notice warn", hidden: !cautions.length }, cautions.length === 1 ? h("p", {}, cautions[0]) : h("ul", {}, ...cautions.map((caution) => h("li", {}, caution))));

/** The shares that a question's table shows: of those who answered, if some didn't. */
export const mainShares = ({ items, answered }: QuestionEstimate): readonly Share[] => answered ?? items;

/** A question: its headline, who was asked, and what a study of this question alone would show. */
export class Question {
  private readonly title = h("h2");
  private readonly help = h("p", { class: "soft small", hidden: true });
  private readonly headline = h("p", { class: "headline" });
  private readonly about = h("p", { class: "soft small" });
  private readonly shown: Shown;
  private readonly unanswered = new Shares({ caption: "The shares of people who gave none of the answers, and their intervals", answer: "No answer" });
  private readonly others = h("div", { hidden: true }, h("h3", {}, "Apart from these answers, of everyone"), this.unanswered.element);
  private readonly cautions = h("div");
  readonly element: HTMLElement;

  constructor(readonly anchor: string) {
    this.shown = new Shown(`${anchor}-`, `All answers, ${anchor}`, false);
    this.element = h(
      "section",
      { class: "question", id: anchor },
      this.title,
      this.help,
      this.headline,
      this.about,
      ...this.shown.elements,
      this.others,
      this.cautions,
      back(),
    );
  }

  /** The shares are drawn on the scale of the page, which has said what to be careful about in several questions. */
  show(found: QuestionEstimate, level: number, known: Asked | undefined, scale: Scale, said: ReadonlySet<string>): void {
    const { text, headline, claim, asked, n, answered, items, cautions, margins = {}, mean, quantiles, cumulative } = found;
    fill(this.title, text);
    this.help.hidden = !known?.help;
    fill(this.help, known?.help);
    fill(this.headline, ...claimed(headline, claim));
    const several = known?.choices ? " Several answers were possible, so the shares don’t sum to 100%." : "";
    const apart = answered ? items.filter(({ item }) => !answered.some((each) => each.item === item)) : [];
    const partly = apart.length > 0;
    this.about.textContent = `${asked}${several}`;
    const main = mainShares(found);
    const sized = known && main.length === known.domain.size ? { domain: known.domain, sensitive: (code: number) => known.sensitive.has(code) } : undefined;
    this.shown.show({ items: main, level, people: n, margins, found: null, ordered: Boolean(mean), ...(cumulative && { cumulative }), ...(mean && quantiles && { mean, quantiles }) }, sized, scale);
    this.others.hidden = !partly;
    this.unanswered.show(apart, { level, scale });
    fill(this.cautions, warned(cautions.filter((each) => !said.has(each))));
  }
}
