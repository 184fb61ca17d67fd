/** Blanks at which lines must not break, by language: around French punctuation, and between a number and its Japanese counter. */
const RULES = {
  fr: [
    [/« /g, "«\u00a0"],
    [/ (?=[»:;!?])/g, "\u00a0"],
  ],
  ja: [[/(?<=[\d}]) (?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])/gu, "\u00a0"]],
};

/** The file of a language as it is shipped. */
export function typeset(file) {
  const rules = RULES[file.language.split("-")[0]] ?? [];
  const set = (text) => rules.reduce((found, [wrong, right]) => found.replace(wrong, right), text);
  const all = (text) => (typeof text === "string" ? set(text) : Object.fromEntries(Object.entries(text).map(([form, each]) => [form, set(each)])));
  return { ...file, texts: Object.fromEntries(Object.entries(file.texts).map(([key, text]) => [key, all(text)])) };
}
