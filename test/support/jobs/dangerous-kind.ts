import { z } from 'zod';
import { AppError } from '../../../src/platform/errors.js';
import { defineKind } from '../../../src/jobs/kind-api/kind.js';
import { type StepContext } from '../../../src/jobs/kind-api/step-context.js';

const cursor = z.discriminatedUnion('at', [
  z.object({ at: z.literal('aim') }),
  z.object({ at: z.literal('rest') }),
  z.object({ at: z.literal('look') }),
]);

/** A kind of job with one dangerous effect, whose every part a test can hold up or watch. */
export class DangerousKind {
  /** The device of each effect that was sent, in order. */
  readonly sent: string[] = [];
  /** The device of each look at what became of an effect. */
  readonly probed: string[] = [];
  /** How long ago, in milliseconds, an effect was sent when its end was asked for. */
  readonly settlingMs: number[] = [];
  /** Runs in the step before the effect. */
  aiming: (context: StepContext) => Promise<void> = () => Promise.resolve();
  /** Runs before the effect is sent, when the job says that it is: a call that waits for its turn. */
  queueing: (context: StepContext) => Promise<void> = () => Promise.resolve();
  /** Runs after the effect took place and before its answer is known. */
  striking: (context: StepContext) => Promise<void> = () => Promise.resolve();
  /** A pause between effect and end. */
  restMs = 0;
  /** Whether the answer to the effect comes back. */
  answers = true;

  readonly kind = defineKind<Record<string, never>, z.infer<typeof cursor>>({
    name: 'strike',
    deadlineMs: 3_600_000,
    spec: z.strictObject({}),
    cursor,
    start: () => ({ at: 'aim' }),
    steps: {
      aim: async (cursor, context) => {
        await this.aiming(context);
        return { next: 'effect', effect: 'strike', cursor, before: { struck: 0 }, logLine: { text: 'Aimed' } };
      },
      rest: () => ({ next: 'wait', cursor: { at: 'look' }, afterMs: this.restMs, reason: 'device_works' }),
      look: (_cursor, context) => ({ next: 'end', outcome: 'succeeded', result: { strikes: this.count(context) } }),
    },
    effects: {
      strike: {
        at: 'aim',
        send: async (_cursor, context) => {
          await this.queueing(context);
          this.sent.push(context.device.id);
          await this.striking(context);
          if (!this.answers) throw new AppError('device_outcome_unknown');
          return { struck: true };
        },
        conclude: (_cursor, { answer, settlingMs }, context) => {
          this.settlingMs.push(settlingMs);
          if (answer === undefined) this.probed.push(context.device.id);
          const after = { struck: this.count(context) };
          return Promise.resolve({ is: 'executed', after, stepResult: { next: 'go', cursor: { at: 'rest' } } });
        },
      },
    },
    isIrrevocable: (_cursor, intent) => intent !== null && intent.state !== 'open',
  });

  readonly kinds = new Map([[this.kind.name, this.kind]]);

  private count({ device }: StepContext): number {
    return this.sent.filter((id) => id === device.id).length;
  }
}

/** A door that tests hold shut while something else happens. */
export class Barrier {
  private readonly arrivals: (() => void)[] = [];
  private isReached = false;
  private release: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  /** Waits until the door is open; gives up, with an error, when the signal aborts. */
  async pass(signal?: AbortSignal): Promise<void> {
    this.isReached = true;
    for (const arrive of this.arrivals) arrive();
    await Promise.race([
      this.opened,
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
      }),
    ]);
  }

  /** Resolves when someone stands before the door. */
  reached(): Promise<void> {
    return this.isReached ? Promise.resolve() : new Promise((resolve) => this.arrivals.push(resolve));
  }

  open(): void {
    this.release();
  }
}
