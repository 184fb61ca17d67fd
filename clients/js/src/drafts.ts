/** What a device draws for an answer before it is sent: the form of a questionnaire, and the reports. */
import { type Answers, drawnFor, filled } from "./answers.js";
import type { Item } from "./domain.js";
import { type Ledger, placeFor } from "./ledger.js";
import type { Form } from "./parts.js";
import { formNamed, levelForms, type Questionnaire } from "./questionnaire.js";
import { inputOf, made, type Marks, perturb, type Report } from "./report.js";
import { place, secureSource, type Source } from "./source.js";
import type { Study } from "./study.js";

/** The most forms that are kept for studies without an answer. The newest stay. */
const DRAWN = 100;

/** The form that was drawn for a level. */
export function formFor({ drawn }: Ledger, study: Questionnaire, level: string): Form | undefined {
  const found = drawn.find((each) => each.study === study.fingerprint && each.level === level);
  return found && formNamed(study, found.form);
}

/** Draw a form among those of a level: one word decides. */
export function drawForm(ledger: Ledger, study: Questionnaire, level: string, source: Source = secureSource()): Form {
  const forms = levelForms(study, level);
  const found = forms[place(forms.map(({ weight }) => weight), source)]!;
  const before = ledger.drawn.filter((each) => each.url && each.url === study.url && each.level === level).slice(0, -1); // of earlier versions the last one stays
  ledger.drawn = [...ledger.drawn.filter((each) => !before.includes(each)), { study: study.fingerprint, url: study.url, level, form: found.name }].slice(-DRAWN);
  return found;
}

/** The marks that the study knows: it may have been changed since. */
export function marksOf({ marks }: Ledger, study: Study): Marks {
  const kept = (marks[placeFor(study)] ?? []).filter(([text]) => study.domain.has(text));
  return Object.fromEntries(study.tags.map((tag) => [tag, kept.flatMap(([text, under]) => (under === tag ? [text] : []))]));
}

/** What stands for an answer in this tab, and how its reports are drawn. */
export function draftOf(ledger: Ledger, study: Study | Questionnaire, answer: unknown, level: string, source: Source = secureSource()): [key: string, draw: () => Report[]] {
  if (!("questions" in study)) {
    const marks = marksOf(ledger, study);
    const draw = () => Array.from({ length: study.reports }, () => perturb(study, answer as Item, { source, level, marks }));
    return [`${level}/${inputOf(study, answer as Item, marks)}`, draw];
  }
  const form = formFor(ledger, study, level)!; // drawn by `asked`
  const codes = filled(study, form, answer as Answers);
  return [`${form.name}/${codes.flat()}`, () => [made(study, drawnFor(form, codes, source), form.name)]];
}
