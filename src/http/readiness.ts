import { withTimeout } from '../platform/with-timeout.js';

/** A check that takes longer counts as unavailable. It goes on, and is not begun again before it has ended. */
const CHECK_TIMEOUT_MS = 2_000;

/** The route needs no key: however many ask, each part is checked once in this time. */
const FRESH_MS = 1_000;

/** A check that never ends is begun again after this time. */
const GIVEN_UP_MS = 30_000;

type State = 'ok' | 'unavailable';

/** The readiness checks of the process. Each part adds its own; the health route runs all. */
export class Readiness {
  private readonly parts = new Map<string, PartCheck>();
  private closing = false;

  /** Adds a part; `check` rejects when the part does not work. It does what the part is for, and does not only ask for an answer. */
  add(part: string, check: () => Promise<unknown>): void {
    this.parts.set(part, new PartCheck(check));
  }

  /** Makes the process not ready: load balancers stop sending before the listener closes. */
  close(): void {
    this.closing = true;
  }

  async check(): Promise<Record<string, State>> {
    const answers = await Promise.all(
      [...this.parts].map(async ([part, check]) => [part, await check.state()] as const),
    );
    return { process: this.closing ? 'unavailable' : 'ok', ...Object.fromEntries(answers) };
  }

  /** Why parts did not work at their last check; not for callers. */
  get causes(): ReadonlyMap<string, unknown> {
    return new Map([...this.parts].flatMap(([part, { cause }]) => (cause === null ? [] : [[part, cause]])));
  }
}

class PartCheck {
  cause: unknown = null;
  private running: Promise<State> | null = null;
  private begunAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly run: () => Promise<unknown>) {}

  state(): Promise<State> {
    const age = performance.now() - this.begunAt;
    if (this.running === null || age >= GIVEN_UP_MS) this.running = this.begin();
    return withTimeout(CHECK_TIMEOUT_MS, this.running, () => this.late());
  }

  private begin(): Promise<State> {
    this.begunAt = performance.now();
    const checked = this.run().then(
      () => this.ended('ok', null),
      (error: unknown) => this.ended('unavailable', error),
    );
    // An answer is used for a second, from its end on.
    void checked.then(() => setTimeout(() => this.running === checked && (this.running = null), FRESH_MS).unref());
    return checked;
  }

  private ended(state: State, cause: unknown): State {
    this.cause = cause;
    return state;
  }

  private late(): State {
    return this.ended('unavailable', new Error('It does not answer in time'));
  }
}
