/** sottovoce in JavaScript: the true answer stays on the device, a perturbed report leaves. */
export { Device, type DeviceOptions, type Keeper, type State, type Status } from "./device.js";
export { type Axis, type Domain, type Item, type Label } from "./domain.js";
export { type Kind, SottovoceError } from "./errors.js";
export { explain, type ExplainOptions, type Explanation, type Odds } from "./explain.js";
export { type Marks, perturb, type PerturbOptions, type Report } from "./report.js";
export { secureSource, type Source } from "./source.js";
export { price, type Spent } from "./spending.js";
export { type Block, type LoadOptions, loadStudy, readStudy, type Study } from "./study.js";
export { type Receipt, submit, type SubmitOptions } from "./submit.js";
