/**
 * One step of the browser's history for each screen, so that its back button goes one screen back. A reload finds the screen again.
 *
 * Browsers write the history to disk. It has only numbers: which screens they stand for is up to `kept`, which goes with the answers.
 */
export class Steps {
  /** The screens, one for each step. There can be gaps. */
  screens: readonly (string | null)[] = [];
  private depth = 0;
  /** The person comes back to a step of this survey, or reloads the page. */
  readonly returning: boolean;

  /** `go` shows a screen of this survey, `first` if a step's screen isn't known. Without `enabled` the history is left alone, and steps are kept here. */
  constructor(
    private readonly enabled: boolean,
    private readonly study: string,
    private readonly first: string,
    private readonly go: (at: string) => void,
    private readonly kept: () => void = () => undefined,
  ) {
    this.returning = enabled && this.now !== undefined;
    if (enabled) addEventListener("popstate", () => this.now !== undefined && this.go(this.at ?? first));
  }

  /** The number of the step where this page is, if it is one of this survey. */
  private get now(): number | undefined {
    if (!this.enabled) return this.depth;
    const found = (history.state as { sottovoce?: { study: string; depth: number } } | null)?.sottovoce;
    return found?.study === this.study ? found.depth : undefined;
  }

  /** The screen where this page is, if it is known. */
  get at(): string | undefined {
    return this.now === undefined ? undefined : (this.screens[this.now] ?? undefined);
  }

  /** One screen further. */
  push(at: string): void {
    const depth = (this.now ?? 0) + 1;
    if (this.enabled) history.pushState(this.state(depth), "");
    else this.depth = depth;
    this.keep([...Array.from({ length: depth }, (_, k) => this.screens[k] ?? null), at]);
    this.go(at);
  }

  /** Another screen in place of this one. */
  replace(at: string): void {
    const depth = this.now ?? 0;
    if (this.enabled) history.replaceState(this.state(depth), "");
    if (this.at === at || (this.at === undefined && at === this.first)) return;
    const length = Math.max(this.screens.length, depth + 1);
    this.keep(Array.from({ length }, (_, k) => (k === depth ? at : (this.screens[k] ?? null))));
  }

  /** One screen back, or to the screen `before`, if this page began here. */
  back(before: string): void {
    if (this.enabled && this.now) return history.back();
    if (!this.enabled && this.depth) this.depth -= 1;
    else this.replace(before);
    this.go(this.at ?? this.first);
  }

  private state(depth: number) {
    return { sottovoce: { study: this.study, depth } };
  }

  private keep(screens: readonly (string | null)[]): void {
    this.screens = screens;
    this.kept();
  }
}
