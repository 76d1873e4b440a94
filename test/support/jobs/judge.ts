import { expect } from 'vitest';
import { type JobView, type KindWorld } from './kind-world.js';
import { type KindCase } from './kind-cases.js';

/** Compares the outcome of a job with the ledger of its device. */
export function judge(given: KindCase, world: KindWorld, index: number, job: JobView, when: string): void {
  const { effects } = world.fleet.ledger.summary(index);
  const isDone = given.isDone(world, index);
  const twice = [...given.once.filter((effect) => (effects[effect] ?? 0) > 1), ...repeated(given, world, index)];
  const isHonest = isDone
    ? job.outcome === 'succeeded' || job.outcome === 'unknown'
    : (given.honestEnds ?? ['not_executed']).includes(job.outcome ?? '');
  const told = { when, outcome: job.outcome, failure: job.failure, isDone };
  expect({ ...told, isHonest, twice }).toEqual({ ...told, isHonest: true, twice: [] });
}

/** Effects that may take place once for each thing, and took place twice for one. */
function repeated({ onceEach = [] }: KindCase, { fleet }: KindWorld, index: number): string[] {
  const done = onceEach.flatMap((effect) =>
    fleet.ledger
      .entries({ device: index, effect })
      .flatMap(({ effects = [] }) => effects.filter((one) => one.effect === effect))
      .map(({ detail }) => `${effect} ${detail}`),
  );
  return done.filter((one, place) => done.indexOf(one) < place);
}

/** The deadline goes by the scaled clock, and a busy machine does not keep up with it. */
export async function startPatiently(given: KindCase, world: KindWorld, index: number, spec: object): Promise<string> {
  const jobId = await world.start(index, given.kind, spec);
  await world.db.query(`update job set deadline_at = deadline_at + interval '10 days' where id = $1`, [jobId]);
  return jobId;
}
