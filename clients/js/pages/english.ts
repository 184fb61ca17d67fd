/** The texts of pages that are in English only. */
import wording from "./survey/texts/en.json";
import { Texts } from "./texts.js";

export const english = new Texts(wording);
