/** One step of the browser's history for each screen, so that its back button goes one screen back. A reload finds the screen again. */
interface Step {
  readonly at: string;
  readonly depth: number;
}

export class Steps {
  private own: Step[] = [];

  /** `go` shows a screen of this survey. Without `enabled` the history is left alone, and steps are kept here. */
  constructor(
    private readonly enabled: boolean,
    private readonly study: string,
    private readonly go: (at: string) => void,
  ) {
    if (enabled) addEventListener("popstate", () => this.now && this.go(this.now.at));
  }

  private get now(): Step | undefined {
    if (!this.enabled) return this.own.at(-1);
    const found = (history.state as { sottovoce?: { study: string } & Step } | null)?.sottovoce;
    return found?.study === this.study ? found : undefined;
  }

  /** The screen where this page is, if it is one of this survey. */
  get at(): string | undefined {
    return this.now?.at;
  }

  /** One screen further. */
  push(at: string): void {
    const step = { at, depth: (this.now?.depth ?? 0) + 1 };
    if (this.enabled) history.pushState({ sottovoce: { ...step, study: this.study } }, "");
    else this.own.push(step);
    this.go(at);
  }

  /** Another screen in place of this one. */
  replace(at: string): void {
    const step = { at, depth: this.now?.depth ?? 0 };
    if (this.enabled) history.replaceState({ sottovoce: { ...step, study: this.study } }, "");
    else this.own.splice(-1, 1, step);
  }

  /** One screen back, or to the screen `before`, if this page began here. */
  back(before: string): void {
    if (this.enabled && this.now?.depth) return history.back();
    if (!this.enabled && this.own.length > 1) this.own.pop();
    else this.replace(before);
    this.go(this.now!.at);
  }
}
