/** Which questions the survey page shows: the same that the device counts as asked. */
import { describe, expect, it } from "vitest";
import { applies, counting, expected, reportedAt, shownTo } from "../pages/survey/asking.js";
import { applies as counted } from "../src/answers.js";
import type { Questionnaire } from "../src/index.js";
import { type Question, questionOf } from "../src/questions.js";

const questions: Question[] = [];
const ask = (name: string, items: string[], more: object = {}) =>
  questions.push(questionOf({ name, texts: { text: { "": name } }, answers: { items }, weight: "1.0", ...more }, false, questions));
ask("smokes", ["yes", "no"], { refusal: "rather not" });
ask("packs", ["one", "more"], { after: { smokes: ["yes"] }, skipped: "does not apply" });
ask("brand", ["red", "blue"], { after: { packs: ["more", "does not apply"] }, skipped: "does not apply" });
ask("why", ["taste", "habit"], { after: { smokes: ["yes", "rather not"], brand: ["red"] }, skipped: "does not apply" });
const study = { questions, ask: "drawn" } as unknown as Questionnaire;
const choices: Record<string, (string | undefined)[]> = {
  smokes: ["yes", "no", "rather not", undefined],
  packs: ["one", "more", undefined],
  brand: ["red", "blue", undefined],
  why: ["taste", undefined],
};
/** All ways to answer, also in part. */
const ways = Object.entries(choices).reduce<Record<string, string>[]>(
  (found, [name, answers]) => found.flatMap((given) => answers.map((answer) => (answer === undefined ? given : { ...given, [name]: answer }))),
  [{}],
);

describe("what is shown", () => {
  it("is what the device counts as asked", () => {
    for (const given of ways) for (const question of questions) expect(applies(study, question, given) === true).toBe(Boolean(counted(study, question.name, given)));
  });

  it("is counted before it is drawn, at each level", () => {
    const forms = [["careful", 1], ["careful", 3], ["usual", 4], ["usual", 4]].map(([level, count]) => ({ level, questions: Array(count).fill("q") }));
    expect(reportedAt({ forms } as unknown as Questionnaire, "careful")).toEqual([1, 3]);
    expect(reportedAt({ forms } as unknown as Questionnaire, "usual")).toEqual([4, 4]);
  });

  it("never gets more while someone answers in order", () => {
    for (const whole of ways) {
      let [given, most]: [Record<string, string>, number] = [{}, Infinity];
      for (const { name } of questions) {
        if (whole[name] !== undefined) given = { ...given, [name]: whole[name] };
        const now = expected(study, questions.map((each) => each.name), given);
        expect(now).toBeLessThanOrEqual(most);
        most = now;
      }
    }
  });

  it("is only what is needed, unless all are asked", () => {
    const given = { smokes: "no", packs: "one", brand: "red" };
    const names = (found: readonly Question[]) => found.map(({ name }) => name);
    expect(names(shownTo(study, ["smokes", "packs"], given))).toEqual(["smokes"]);
    expect(names(shownTo({ ...study, ask: "all" } as Questionnaire, ["smokes"], given))).toEqual(["smokes", "brand"]);
    expect(counting(shownTo(study, ["smokes", "packs"], given), given)).toEqual({ smokes: "no" });
  });
});
