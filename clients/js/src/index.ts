/** sottovoce in JavaScript: the true answer stays on the device, a perturbed report leaves. */
export { type Answers, applies } from "./answers.js";
export { type Asked, Device, type DeviceOptions } from "./device.js";
export { type Axis, type Domain, type Item, type Label } from "./domain.js";
export { type Kind, SottovoceError } from "./errors.js";
export type { Basemap, Place } from "./maps.js";
export { explain, type ExplainOptions, type Explanation, type Odds } from "./explain.js";
export type { Keeper } from "./kept.js";
export type { State, Status } from "./ledger.js";
export type { LoadOptions } from "./load.js";
export { type Form, type Level, type Part } from "./parts.js";
export { loadQuestionnaire, type Questionnaire, readQuestionnaire } from "./questionnaire.js";
export type { Field, Question, Texts } from "./questions.js";
export { type Marks, perturb, type PerturbOptions, type Report } from "./report.js";
export { reveal, type Revealed, type Revelation, type RevealOptions } from "./revealed.js";
export { secureSource, type Source } from "./source.js";
export { price, type Spent } from "./spending.js";
export { type Block, loadStudy, readStudy, type Study } from "./study.js";
export { type Receipt, submit, type SubmitOptions } from "./submit.js";
