/** One question on a screen, or all of them. */
import type { Question } from "../../src/index.js";
import { h } from "../dom.js";
import { applies, expected, type Given, shownTo } from "./asking.js";
import type { Screen } from "./frame.js";
import type { Picker, Value } from "./pickers.js";
import { actions, firstInput, missing, progress, questionPicker, type Shown } from "./question.js";

export interface Asking extends Shown {
  /** The person came from the overview. */
  readonly returning: boolean;
  /** The question that she wants to change, if all are on one screen. */
  readonly changing?: Question | undefined;
  answers(): Given;
  /** Go to the screen behind a question, or before this one. */
  next(question: Question): void;
  back(before?: Question): void;
  pause(): HTMLElement;
}

const labels = ({ returning }: Asking) => (returning ? "to_review" : "next");

export function oneScreen(question: Question, asking: Asking): Screen {
  const { study, say, frame, needed } = asking;
  const heading = frame.heading(1);
  const picker = questionPicker(question, asking, heading);
  const shown = shownTo(study, needed, asking.answers());
  const place = shown.indexOf(question);
  const count = expected(study, needed, asking.answers());
  const submit = (event: Event) => {
    event.preventDefault();
    const value = picker.value();
    if (value === null) return frame.wrong(firstInput(picker), ...missing(question, picker, say));
    const doubt = picker.doubt?.();
    if (doubt) return frame.wrong(firstInput(picker), ...doubt);
    asking.changed(question, value);
    asking.next(question);
  };
  const form = h("form", { submit, novalidate: true }, picker.element, actions(say, labels(asking), () => asking.back(shown[place - 1])));
  return { heading, parts: [progress(place + 1, count, count === shown.length, say), form, asking.pause()] };
}

export function allScreen(asking: Asking): Screen {
  const { study, say, frame, needed } = asking;
  const pickers = new Map<Question, Picker>();
  const headings = new Map<Question, HTMLElement>();
  const sift = () => pickers.forEach((picker, question) => (picker.element.hidden = applies(study, question, asking.answers()) !== true));
  const changed = (question: Question, value: Value | null) => (asking.changed(question, value), sift());
  for (const question of study.questions) {
    if (study.ask === "drawn" && !needed.includes(question.name)) continue;
    const heading = frame.heading(2);
    headings.set(question, heading);
    pickers.set(question, questionPicker(question, { ...asking, changed }, heading));
  }
  sift();
  const submit = (event: Event) => {
    event.preventDefault();
    const open = [...pickers].filter(([, { element }]) => !element.hidden);
    const empty = open.find(([, picker]) => picker.value() === null);
    if (empty) return frame.wrong(firstInput(empty[1]), ...missing(empty[0], empty[1], say, true));
    for (const [, picker] of open) {
      const doubt = picker.doubt?.();
      if (doubt) return frame.wrong(firstInput(picker), ...doubt);
    }
    for (const [question, picker] of open) asking.changed(question, picker.value());
    asking.next(open.at(-1)![0]);
  };
  const fields = [...pickers.values()].map(({ element }) => element);
  return { heading: say.t("questions"), at: asking.changing && headings.get(asking.changing), parts: [h("form", { submit, novalidate: true }, ...fields, actions(say, labels(asking), () => asking.back())), asking.pause()] };
}
