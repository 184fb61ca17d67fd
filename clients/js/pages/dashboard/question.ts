import { fill, h } from "../dom.js";
import type { QuestionEstimate } from "./api.js";
import type { Asked } from "./questionnaire_promise.js";
import { sharesTable, Shown } from "./shown.js";
import { counted, levelWords } from "./words.js";

/** The way back to the table of contents. */
export const back = (): HTMLElement => h("p", { class: "back small" }, h("a", { href: "#in-short" }, "Back to the contents"));

/** A question: its headline, how many people were asked, and what a study of this question alone would show. */
export class Question {
  private readonly title = h("h2");
  private readonly help = h("p", { class: "soft small", hidden: true });
  private readonly headline = h("p", { class: "headline" });
  private readonly about = h("p", { class: "soft small" });
  private readonly shown: Shown;
  private readonly others = h("div", { hidden: true });
  private readonly cautions = h("div", { class: "notice warn", hidden: true });
  readonly element: HTMLElement;

  constructor(readonly anchor: string) {
    this.shown = new Shown(`${anchor}-`, "Every answer");
    this.element = h(
      "section",
      { class: "card question", id: anchor },
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

  show(found: QuestionEstimate, level: number, known: Asked | undefined, method?: string): void {
    const { text, headline, n, answered, items, cautions, margins = {}, note = "", mean, quantiles } = found;
    fill(this.title, text);
    this.help.hidden = !known?.help;
    fill(this.help, known?.help);
    fill(this.headline, headline);
    const several = known?.choices ? " Several answers were possible, so the shares don’t sum to 100%." : "";
    const apart = answered ? items.filter(({ item }) => !answered.some((each) => each.item === item)) : [];
    const partly = apart.length > 0;
    this.about.textContent = `${counted(n, "person was", "people were")} asked.${partly ? " The shares are those among the people who answered." : ""}${several}`;
    const whose = partly && "share of those who answered";
    const main = answered ?? items;
    const sized = known && main.length === known.domain.size ? { domain: known.domain, sensitive: (code: number) => known.sensitive.has(code) } : undefined;
    this.shown.show(
      { items: main, level, people: n, method: found.method, margins, found: null, note, ...(mean && quantiles && { mean, quantiles }), ...(whose && { whose }) },
      sized,
      method,
    );
    this.others.hidden = !partly;
    fill(this.others, h("h3", {}, "Apart from these answers, of all who were asked"), sharesTable("no answer", `The shares of people who gave none of the answers, with their ${levelWords(level)} intervals`, apart));
    this.cautions.hidden = !cautions.length;
    fill(this.cautions, h("ul", {}, ...cautions.map((caution) => h("li", {}, caution))));
  }
}
