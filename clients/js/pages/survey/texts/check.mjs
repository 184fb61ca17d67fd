/** Whether the texts of a language are complete: the same keys as in English, the same placeholders, and all plural forms of the language. */

const placeholders = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort().join(" ");
const formsOf = (text) => (typeof text === "string" ? [text] : Object.values(text));

/** What is wrong with the file of a language, as sentences; nothing if it is complete. */
export function problems(file, english) {
  const found = [];
  const { language, name, direction, texts, ...unknown } = file;
  if (Object.keys(unknown).length) found.push(`unknown keys: ${Object.keys(unknown).join(", ")}`);
  if (![language, name].every((each) => typeof each === "string" && each)) found.push("language or name is missing");
  if (!["ltr", "rtl"].includes(direction)) found.push('direction must be "ltr" or "rtl"');
  const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
  for (const key of Object.keys(texts)) if (!(key in english.texts)) found.push(`${key}: English has no such text`);
  for (const [key, original] of Object.entries(english.texts)) {
    const text = texts[key];
    if (text === undefined) {
      found.push(`${key} is missing`);
      continue;
    }
    if ((typeof text === "string") !== (typeof original === "string")) found.push(`${key} must ${typeof original === "string" ? "not " : ""}have plural forms`);
    else if (typeof text !== "string") {
      const missing = needed.filter((category) => !text[category]);
      const extra = Object.keys(text).filter((category) => !needed.includes(category));
      if (missing.length) found.push(`${key} lacks the plural forms ${missing.join(", ")}`);
      if (extra.length) found.push(`${key} has plural forms that the language doesn't have: ${extra.join(", ")}`);
    }
    const wanted = placeholders(formsOf(original).join(" "));
    for (const form of formsOf(text)) {
      if (typeof form !== "string" || !form.trim()) found.push(`${key} is empty`);
      else if (placeholders(form) !== wanted && !(typeof text !== "string" && placeholders(`${form} {count}`) === wanted)) found.push(`${key} must have the placeholders ${wanted || "none"}`);
    }
  }
  return found.map((each) => `${language}: ${each}`);
}
