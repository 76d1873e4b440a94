import { type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway } from '../../../src/gateway.js';
import { type FaultInput } from '../../../src/simulator/device/faults.js';
import { casesOf } from '../../support/forms.js';
import { startBeside } from '../../support/gateway.js';
import { judge, startPatiently } from '../../support/jobs/judge.js';
import { KIND_CASES, type KindCase } from '../../support/jobs/kind-cases.js';
import { startKindWorld, type JobView, type KindWorld } from '../../support/jobs/kind-world.js';
import { ended, startWorker, untilSaid } from '../../support/jobs/law-workers.js';
import { queueBackends } from '../../support/jobs/queue-backends.js';

/*
 * The laws of `kind-laws.ts` at the place that costs most, the first effect of a kind: each kind once with each trouble. The
 * short form has three kinds; `test/jobs/kinds` has lost answers of each. All share one world, one worker that dies, and one
 * that goes on.
 */

const ALL_TROUBLES = ['none', 'killed-sent', 'lost-answer', 'reset-before', 'killed-answered'] as const;
type Trouble = (typeof ALL_TROUBLES)[number];

const KINDS = casesOf(KIND_CASES, 3);

/** What happens to a job; each kind has a device for each. The short form has every other one. */
const TROUBLES = casesOf<Trouble>(ALL_TROUBLES, 3);
const isMet = (trouble: Trouble) => TROUBLES.includes(trouble);
type Fault = Extract<Trouble, FaultInput['kind']>;

const FLEET = { family: 'RUTX50', profile: 'rutos', devices: KINDS.length * TROUBLES.length, seed: 1 } as const;

describe.each(queueBackends())('every kind of job on a $backend queue', ({ redisUrl }) => {
  let world: KindWorld;
  let doomed: ChildProcess;
  let survivor: Gateway;
  /** The ends of the jobs, for which each test waits in its own time. */
  const jobs = new Map<number, Promise<JobView>>();

  const indexOf = (given: KindCase, trouble: Trouble) =>
    KINDS.indexOf(given) * TROUBLES.length + TROUBLES.indexOf(trouble);
  const idsOf = (trouble: Trouble) => (isMet(trouble) ? KINDS.map((given) => world.ids[indexOf(given, trouble)]!) : []);

  beforeAll(async () => {
    const options = Object.assign({}, FLEET, ...KINDS.map(({ fleet }) => fleet)) as typeof FLEET;
    world = await startKindWorld(options, { ROLE: 'api', REDIS_URL: redisUrl ?? '' });
    const [sent, answered] = [idsOf('killed-sent'), idsOf('killed-answered')];
    doomed = startWorker(world, { dies: 'never', holds: { sent, answered } });
    const held = untilSaid(doomed, new Set([...sent, ...answered].map((id) => `held ${id}`)));
    await start('killed-answered');
    await start('killed-sent');
    await start('none');
    await Promise.all([held, ...KINDS.map((given) => jobs.get(indexOf(given, 'none')))]);
    await ended(doomed, 'SIGKILL');
    // As if the leases of the dead worker had run out: half a minute that a test need not spend.
    await world.db.query(`update job set lease_until = clock_timestamp() where phase in ('dispatched', 'running')`);
    survivor = await startBeside({ ...world.gateway.env, ROLE: 'worker' }, world.clock);
    await startFaulty('lost-answer');
    await startFaulty('reset-before');
  });
  afterAll(async () => {
    await ended(doomed, 'SIGKILL');
    await survivor.close();
    await world.close();
  });

  /** Starts a job of every kind. */
  async function start(trouble: Trouble, faultOf?: (given: KindCase) => FaultInput) {
    if (!isMet(trouble)) return;
    await Promise.all(
      KINDS.map(async (given) => {
        const index = indexOf(given, trouble);
        const spec = (await given.spec?.(world, index)) ?? {};
        if (faultOf) world.fleet.devices[index]!.faults.add(faultOf(given));
        const jobId = await startPatiently(given, world, index, spec);
        const end = world.ended(jobId);
        end.catch(() => undefined); // its own test says so
        jobs.set(index, end);
      }),
    );
  }

  const startFaulty = (fault: Fault) => start(fault, (given) => faultOf(given, fault));

  /** The trouble for the request that had the first effect of the kind, where there was no trouble. */
  function faultOf(given: KindCase, trouble: Fault): FaultInput {
    const entries = world.fleet.ledger.entries({ device: indexOf(given, 'none') });
    // What is done in the registry has only logins on the device.
    const wanted = given.once.length > 0 ? given.once : ['login'];
    const first = entries.find(({ effects }) => effects?.some(({ effect }) => wanted.includes(effect)))!;
    const request = first.cause === undefined ? first : entries.find(({ seq }) => seq === first.cause)!;
    // Effects of ours are requests that change something.
    const method = request.method as NonNullable<FaultInput['method']>;
    return { kind: trouble, method, path: request.path, count: 1 };
  }

  describe.each(KINDS)('$kind', (given) => {
    const judged = async (trouble: Trouble) => {
      const index = indexOf(given, trouble);
      const job = (await jobs.get(index))!;
      judge(given, world, index, job, trouble);
      return job;
    };
    /** What befell its requests. */
    const faults = (trouble: Trouble) =>
      world.fleet.ledger.entries({ device: indexOf(given, trouble) }).flatMap((entry) => entry.faults ?? []);

    it('does what it is for', async () => {
      expect(await judged('none')).toMatchObject({ outcome: 'succeeded', failure: null });
      expect(given.isDone(world, indexOf(given, 'none'))).toBe(true);
    });

    it.each((['lost-answer', 'reset-before'] as const).filter(isMet))(
      'ends with the truth after the %s of its effect',
      async (trouble) => {
        await judged(trouble);
        expect(faults(trouble)).toEqual([trouble]);
      },
    );

    it('goes on after a SIGKILL between its effect and the next save, and has its effects once', async () => {
      expect(await judged('killed-answered')).toMatchObject({ outcome: 'succeeded' });
    });

    it.runIf(isMet('killed-sent'))(
      'tells the truth of an effect that was noted as sent and never went out',
      async () => {
        expect(await judged('killed-sent')).toMatchObject({ phase: 'ended' });
      },
    );
  });
});
