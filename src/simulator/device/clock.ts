/*
 * Two times run in the simulator. Wall time is what a client can count too: token lifetimes, lock-outs, uptime. Device time
 * is how long the device works on something (a flash, a reboot, a backup); the time scale divides it, and nothing else.
 */

/** A timer that waits; `cancel` is safe to call at any time. */
export interface Timer {
  cancel(): void;
}

interface WaitingTimer {
  dueAt: number;
  run: () => void;
  handle: NodeJS.Timeout;
}

export class SimulatorClock {
  private offsetMs = 0;
  private readonly waiting = new Set<WaitingTimer>();

  /** `timeScale` 60 turns a device minute into a second. */
  constructor(readonly timeScale: number) {}

  /** Wall time in milliseconds since 1970, moved by `advance`. */
  now(): number {
    return Date.now() + this.offsetMs;
  }

  nowSeconds(): number {
    return Math.floor(this.now() / 1000);
  }

  /** Runs after `deviceMs` of device time. */
  after(deviceMs: number, run: () => void): Timer {
    return this.schedule(deviceMs / this.timeScale, run);
  }

  /** Waits `deviceMs` of device time. */
  work(deviceMs: number): Promise<void> {
    return deviceMs <= 0 ? Promise.resolve() : new Promise((resolve) => void this.after(deviceMs, resolve));
  }

  /** Waits `wallMs` of wall time: what the network takes, which no time scale shortens. */
  pause(wallMs: number): Promise<void> {
    return wallMs <= 0 ? Promise.resolve() : new Promise((resolve) => void this.schedule(wallMs, resolve));
  }

  /** Moves wall time forward and runs what falls due, in order. */
  advance(ms: number): void {
    this.offsetMs += ms;
    const due = [...this.waiting].filter((timer) => timer.dueAt <= this.now()).sort((a, b) => a.dueAt - b.dueAt);
    for (const timer of due) this.fire(timer);
  }

  /** Forgets everything that waits. */
  stop(): void {
    for (const timer of this.waiting) clearTimeout(timer.handle);
    this.waiting.clear();
  }

  private schedule(wallMs: number, run: () => void): Timer {
    const timer: WaitingTimer = {
      dueAt: this.now() + wallMs,
      run,
      handle: setTimeout(() => this.fire(timer), wallMs),
    };
    this.waiting.add(timer);
    return {
      cancel: () => {
        clearTimeout(timer.handle);
        this.waiting.delete(timer);
      },
    };
  }

  private fire(timer: WaitingTimer): void {
    if (!this.waiting.delete(timer)) return;
    clearTimeout(timer.handle);
    timer.run();
  }
}
