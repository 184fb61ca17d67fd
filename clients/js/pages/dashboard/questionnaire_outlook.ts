import { fill, h } from "../dom.js";
import type { QuestionnaireOutlook } from "./api.js";
import { Target } from "./target.js";
import { about, levelWords, points, whole } from "./words.js";

/** How precise each question is, and how many people it takes to know it as well as the analyst wants. */
export class QuestionnaireOutlookSection {
  private readonly target: Target;
  private readonly body = h("tbody");
  private readonly table: HTMLElement;
  private readonly note = h("p", { class: "soft small", id: "outlook-note" });
  readonly element: HTMLElement;

  constructor(target: number, wanted: (target: number) => void) {
    this.target = new Target(target, wanted);
    const head = ["Question", "So far", "Takes in all"].map((name) => h("th", { scope: "col" }, name));
    const caption = h("caption", { class: "unseen" }, "The widest interval of each question, and the people that it takes");
    this.table = h("table", { class: "precision", hidden: true }, caption, h("thead", {}, h("tr", {}, ...head)), this.body);
    this.element = h("section", { id: "outlook" }, h("h2", {}, "How many people it takes"), this.target.element, this.table, this.note);
  }

  show({ questions, people, level }: QuestionnaireOutlook): void {
    const all = Object.values(questions);
    this.target.speak();
    const shares = all.filter(({ ranges }) => !ranges); // ranges of numbers are known less, and their mean better
    const most = Math.max(0, ...(shares.length ? shares : all).map(({ needed }) => needed ?? 0));
    const which = shares.length === all.length || !shares.length ? "for every question" : "for every question but those for numbers";
    if (!this.target.wrong) fill(this.target.verdict, most <= people ? `you have enough people ${which}.` : `you need about ${about(most)} people ${which}.`);
    this.table.hidden = false;
    fill(
      this.body,
      ...all.map(({ text, ranges, answered, mean, margin, needed, more }) => {
        const remarks = [ranges && (mean === null ? "each range by itself" : "the mean, in its own units"), answered && "among those who answered"];
        const remark = remarks.filter(Boolean).join(", ");
        return h(
          "tr",
          {},
          h("th", { scope: "row" }, text, remark && h("span", { class: "soft small remark" }, remark)),
          h("td", {}, mean !== null ? `± ${Number(mean.toPrecision(2))}` : margin === null ? "–" : margin > 0.5 ? "> ± 50" : `± ${points(margin)}`),
          h("td", {}, mean !== null || needed === null ? "–" : more ? about(needed) : "enough"),
        );
      }),
    );
    const so = people ? `${whole(people)} people answered so far. ` : "";
    this.note.textContent = `${so}Each person is asked some of the questions. The widest ${levelWords(level)} interval of a question is given in percentage points.`;
  }
}
