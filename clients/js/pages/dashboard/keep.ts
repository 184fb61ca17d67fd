/** What a tab keeps until it is closed: tokens and choices, in sessionStorage and nowhere else. */
const TOKENS = "sottovoce.tokens";
const ANY = "*";

function read(key: string): Record<string, unknown> {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : {};
  } catch {
    return {}; // storage is forbidden, or holds something else: the page asks again
  }
}

function write(key: string, value: Record<string, unknown>): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // storage is forbidden: the token lasts as long as the page
  }
}

/** The token for a study: its own, or else the latest one, which may open several. */
export function tokenFor(study: string): string | undefined {
  const tokens = read(TOKENS);
  const found = Object.hasOwn(tokens, study) ? tokens[study] : tokens[ANY]; // a study may be called "constructor"
  return typeof found === "string" ? found : undefined;
}

export const keepToken = (study: string, token: string): void => write(TOKENS, { ...read(TOKENS), [study]: token, [ANY]: token });

/** Drop a token that was refused for a study; it may still open the study that it was given for. */
export function dropToken(study: string): void {
  const { [study]: own, [ANY]: latest, ...others } = read(TOKENS);
  write(TOKENS, own === undefined && Object.values(others).includes(latest) ? { ...others, [ANY]: latest } : others);
}

export function forgetTokens(): void {
  try {
    sessionStorage.removeItem(TOKENS);
  } catch {
    // nothing was kept
  }
}

/** A token in the fragment, which is never sent. It is taken out of the address bar at once, so that it is not copied by mistake. */
export function tokenInAddress(): string | undefined {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")?.trim();
  if (found !== undefined) history.replaceState(null, "", location.pathname + location.search);
  return found && /^[!-~]+$/.test(found) ? found : undefined; // anything else cannot stand in a header
}

export interface Choice {
  readonly method: string;
  readonly level: number;
  /** The half-width that is aimed for. */
  readonly target: number;
}

const between = (value: unknown, otherwise: number): number => (typeof value === "number" && value > 0 && value < 1 ? value : otherwise);

export function choiceFor(study: string): Choice {
  const { method, level, target } = read(`sottovoce.choice.${study}`);
  return { method: typeof method === "string" ? method : "", level: between(level, 0.95), target: between(target, 0.03) };
}

export const keepChoice = (study: string, choice: Choice): void => write(`sottovoce.choice.${study}`, { ...choice });
