/*
 * The gateway with one more kind of job, `poll`, which asks its device five times with pauses, as firmware and backups do
 * while a device works. The product has no such kind. It also records what cannot be seen from outside: how late each
 * poll was, and the delays of the event loop. SIGUSR2 writes both into DATA_DIR and starts again.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { z } from 'zod';
import { JOB_KINDS } from '../src/jobs/kinds/index.js';
import { defineKind, type JobKind } from '../src/jobs/kind-api/kind.js';
import { STATUS_PATH } from './fan-out-client.js';
import { percentile } from './measuring.js';

export const POLLS = 5;
export const PAUSE_MS = 2_000;

/** The event loop is asked this often whether it comes in time. */
const RESOLUTION_MS = 10;

export const FIGURES_FILE = 'bench-figures.json';

interface Spread {
  readonly p50: number;
  readonly p99: number;
}

/** What one round looked like from inside. */
export interface InsideFigures {
  readonly polls: number;
  /** From when a poll was due to when its job went on … */
  readonly lateMs: Spread;
  /** … and to when it had its answer: with its turn among the calls in the background, and the device. */
  readonly answeredMs: Spread;
  readonly loopDelayP99Ms: number;
}

/** How far each device's job is: in memory, for a poll that found nothing new is not written either. */
const seen = new Map<string, { polls: number; dueMs: number }>();
let late: number[] = [];
let answered: number[] = [];

const ANYTHING = z.unknown();

const poll = defineKind({
  name: 'poll',
  deadlineMs: 3_600_000,
  spec: z.strictObject({}),
  cursor: z.object({ at: z.literal('poll') }),
  start: () => ({ at: 'poll' as const }),
  steps: {
    poll: async (cursor, context) => {
      const now = performance.now();
      const before = seen.get(context.device.id);
      if (before) late.push(now - before.dueMs);
      await context.call({ method: 'GET', path: STATUS_PATH }, ANYTHING);
      if (before) answered.push(performance.now() - before.dueMs);
      const polls = (before?.polls ?? 0) + 1;
      if (polls === POLLS) {
        seen.delete(context.device.id);
        return { next: 'end', outcome: 'succeeded', result: { polls } };
      }
      seen.set(context.device.id, { polls, dueMs: performance.now() + PAUSE_MS });
      return { next: 'wait', cursor, afterMs: PAUSE_MS, reason: 'device_works' };
    },
  },
  effects: {},
  isIrrevocable: () => false,
});

const spreadOf = (ms: readonly number[]): Spread => ({ p50: percentile(ms, 0.5), p99: percentile(ms, 0.99) });

async function begin(): Promise<void> {
  (JOB_KINDS as Map<string, JobKind>).set(poll.name, poll);
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  process.on('SIGUSR2', () => {
    const figures: InsideFigures = {
      polls: late.length,
      lateMs: spreadOf(late),
      answeredMs: spreadOf(answered),
      loopDelayP99Ms: delay.percentile(99) / 1e6 - RESOLUTION_MS, // what it counts is from one look to the next
    };
    writeFileSync(path.join(process.env['DATA_DIR']!, FIGURES_FILE), JSON.stringify(figures));
    late = [];
    answered = [];
    delay.reset();
  });
  await import('../src/main.js');
}

if (process.argv[1]?.endsWith('jobs-gateway.js')) await begin();
