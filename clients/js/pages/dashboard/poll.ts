const PAUSE = 5_000;
const LONGEST = 60_000;

/** Does some work again and again: not while the page is hidden or paused, and seldom where it takes long or fails. */
export class Poll {
  paused = false;
  private timer = 0;
  private running: AbortController | undefined;
  private failures = 0;

  /** The work says whether it went well, and never throws. */
  constructor(private readonly work: (signal: AbortSignal) => Promise<boolean>) {
    document.addEventListener("visibilitychange", () => this.wake());
    window.addEventListener("online", () => this.wake());
  }

  /** Do the work at once, instead of what is under way. */
  now(): void {
    this.stop();
    void this.run();
  }

  stop(): void {
    clearTimeout(this.timer);
    this.running?.abort();
    this.running = undefined;
    this.timer = 0;
  }

  /** Stop for good. */
  end(): void {
    this.paused = true;
    this.stop();
  }

  pause(paused: boolean): void {
    this.paused = paused;
    if (paused) this.stop();
    else this.now();
  }

  private wake(): void {
    if (this.timer && !this.paused && !document.hidden) this.now();
  }

  private async run(): Promise<void> {
    const mine = (this.running = new AbortController());
    const began = performance.now();
    const well = await this.work(mine.signal);
    if (this.running !== mine) return; // something else was asked for meanwhile
    this.running = undefined;
    this.failures = well ? 0 : this.failures + 1;
    if (this.paused) return;
    const wait = Math.max(Math.min(PAUSE * 2 ** Math.max(0, this.failures - 1), LONGEST), 10 * (performance.now() - began));
    this.timer = window.setTimeout(() => {
      if (!document.hidden) void this.run(); // hidden: the timer's number stays, and waking up runs it
    }, wait);
  }
}
