/** What went wrong, in the words of the page: errors of the library are told apart by their kind and never shown raw. */
import { type Device, price, type Questionnaire, SottovoceError, type Study } from "../../src/index.js";
import type { Key } from "../texts.js";
import { fits } from "./budget.js";

/** Why a study could not be opened. */
export function openingError(error: unknown): Key {
  if (!(error instanceof SottovoceError)) return "error_other";
  if (error.kind === "refused") return error.status === 404 ? "error_missing" : "error_line";
  return error.kind === "study" ? "error_study" : error.kind === "line" ? "error_line" : error.kind === "source" ? "error_source" : "error_ledger";
}

/** Why an answer could not be prepared, or not even begun to be sent. */
export function preparingError(error: unknown, device: Device, study: Study | Questionnaire, level?: string): Key {
  if (!(error instanceof SottovoceError)) return "error_full"; // the browser refused to store something
  if (error.kind === "source") return "error_source";
  if (error.kind === "domain") return "error_domain";
  if (error.kind === "refused") return "closed_explained";
  try {
    if (device.optedOut) return "error_opted_out";
    if (device.status(study).state !== "none") return "error_answered";
    if (error.kind === "ledger" && !fits(device, price(study, level === undefined ? {} : { level }).epsilon)) return "budget_too_much";
  } catch {
    return "error_ledger";
  }
  return error.kind === "ledger" ? "error_ledger" : "error_other";
}

/** Why the collector refused a report, by the status of its answer. */
export function refusal(status: number | undefined): Key {
  if (status === 401 || status === 403) return "refused_ticket";
  if (status === 404) return "refused_gone";
  if (status === 409) return "refused_conflict";
  return "refused_other";
}
