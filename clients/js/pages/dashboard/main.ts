/** The analyst's dashboard: asks for a token, and shows a study of one question or a questionnaire. */
import type { Study } from "../../src/index.js";
import { by, fill } from "../dom.js";
import { Api, type Estimate, type Outlook, type QuestionnaireEstimate, type QuestionnaireOutlook, named } from "./api.js";
import { Dashboard, NAME, type Parts } from "./dashboard.js";
import { csv, questionnaireCsv } from "./exports.js";
import { FoundSection } from "./found.js";
import { showState } from "./head.js";
import { keepToken, tokenFor, tokenInAddress } from "./keep.js";
import { OutlookSection } from "./outlook.js";
import { type Known, ofOne, ofSeveral } from "./promise.js";
import { QuestionnaireOutlookSection } from "./questionnaire_outlook.js";
import { QuestionnaireSection } from "./questionnaire.js";
import { tokenForm } from "./token.js";

const SINGLE: Parts<Estimate, Outlook, Study> = {
  found: (choice, chosen) => new FoundSection(choice, chosen),
  outlook: (target, wanted) => new OutlookSection(target, wanted),
  promise: ofOne,
  csv,
  version: 1,
};

const SEVERAL: Parts<QuestionnaireEstimate, QuestionnaireOutlook, Known> = {
  found: (choice, chosen) => new QuestionnaireSection(choice, chosen),
  outlook: (target, wanted) => new QuestionnaireOutlookSection(target, wanted),
  promise: ofSeveral,
  csv: questionnaireCsv,
  version: 2,
};

let current: { end(): void } | undefined;

function open(token: string): void {
  current?.end();
  keepToken(NAME, token);
  current = document.body.dataset["questions"] ? new Dashboard(SEVERAL, new Api(NAME, token), ask) : new Dashboard(SINGLE, new Api(NAME, token), ask);
}

function ask(message?: string): void {
  current?.end();
  const given = (token: string) => {
    open(token);
    by("app").focus(); // the field that had the focus is gone
  };
  fill(by("app"), tokenForm(message, given));
  by("token").focus();
}

function start(): void {
  const token = tokenInAddress() ?? tokenFor(NAME);
  if (token) open(token);
  else ask();
  void named(NAME).then(showState, () => undefined); // the dashboard says so, if the line is down
}

window.addEventListener("hashchange", () => {
  const token = tokenInAddress();
  if (!token) return;
  keepToken(NAME, token);
  location.reload(); // a page from the beginning, with nothing left of the one before
});

/** On paper everything is unfolded: what was closed is closed again afterwards. */
window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll<HTMLDetailsElement>("main details:not([open])")) {
    fold.dataset["folded"] = "";
    fold.open = true;
  }
});
window.addEventListener("afterprint", () => {
  for (const fold of document.querySelectorAll<HTMLDetailsElement>("details[data-folded]")) {
    delete fold.dataset["folded"];
    fold.open = false;
  }
});
start();
