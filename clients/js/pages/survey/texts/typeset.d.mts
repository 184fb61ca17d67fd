import type { Wording } from "../../texts.js";
export function typeset(file: Wording): Wording;
