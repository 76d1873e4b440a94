import { withTimeout } from '../with-timeout.js';

/** A check that takes longer counts as unavailable. */
const CHECK_TIMEOUT_MS = 2_000;

/** The readiness checks of the process. Each part adds its own; the health route runs all. */
export class Readiness {
  private readonly checks = new Map<string, () => Promise<unknown>>();
  private closing = false;

  /** Adds a part; `check` rejects when the part is unavailable. */
  add(part: string, check: () => Promise<unknown>): void {
    this.checks.set(part, check);
  }

  /** Makes the process not ready: load balancers stop sending before the listener closes. */
  close(): void {
    this.closing = true;
  }

  async check(): Promise<Record<string, 'ok' | 'unavailable'>> {
    const answers = await Promise.all(
      [...this.checks].map(async ([part, check]) => [part, await this.ask(check)] as const),
    );
    return { process: this.closing ? 'unavailable' : 'ok', ...Object.fromEntries(answers) };
  }

  private async ask(check: () => Promise<unknown>): Promise<'ok' | 'unavailable'> {
    const checked = check().then(
      () => 'ok' as const,
      () => 'unavailable' as const,
    );
    return withTimeout(CHECK_TIMEOUT_MS, checked, () => 'unavailable');
  }
}
