/** Which language the page is in: chosen from the study's languages and the browser's, and by a switch. */

/** The first wanted language that is available, also if only the part before the hyphen fits. */
export function match(wanted: readonly string[], available: readonly string[]): string | undefined {
  const base = (code: string) => code.toLowerCase().split("-")[0];
  for (const each of wanted) {
    const found = available.find((code) => code.toLowerCase() === each.toLowerCase()) ?? available.find((code) => base(code) === base(each));
    if (found) return found;
  }
  return undefined;
}

export interface Chosen {
  /** The language of the study's texts. */
  readonly study: string;
  /** The language of the page's own texts: the same, if there are texts in it. */
  readonly page: string;
  /** The languages that people can choose among. */
  readonly options: readonly string[];
}

/** The languages for a person who wants these, the best one first. `own` are the languages of the page's texts, the default first. */
export function choose(studys: readonly string[], own: readonly string[], wanted: readonly string[]): Chosen {
  const options = studys.length ? studys : own;
  const study = match(wanted, options) ?? options[0]!;
  return { study, page: match([study, ...wanted], own) ?? own[0]!, options };
}

const KEY = "sottovoce-language";

/** The language that was chosen by the switch in this tab. */
export function remembered(): string[] {
  try {
    const found = sessionStorage.getItem(KEY);
    return found ? [found] : [];
  } catch {
    return [];
  }
}

export function remember(language: string): void {
  try {
    sessionStorage.setItem(KEY, language);
  } catch {
    // a reload then begins in the browser's language again
  }
}

/** A language in its own words. */
export const languageName = (code: string): string => {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
};
