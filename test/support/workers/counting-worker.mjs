/*
 * A worker process from the build that knows one kind more, `count`: its effect is a row in the table `counted`, which has
 * no key, so that one that takes place twice is seen. Ends with the process that started it. Argument: JSON of
 *
 *   company  it holds jobs before their first step, until it has so many; then it dies where it has a lethal one, or else it
 *            says `held`
 *   lethal   id of the device whose job kills it, as by SIGKILL
 */
import { z } from 'zod';
import pg from 'pg';
import { startGateway } from '../../../dist/src/gateway.js';
import { defineKind } from '../../../dist/src/jobs/kind-api/kind.js';
import { JOB_KINDS } from '../../../dist/src/jobs/kinds/index.js';
import { readConfig } from '../../../dist/src/platform/config.js';

const { company, lethal } = JSON.parse(process.argv[2]);
const die = () => process.kill(process.pid, 'SIGKILL');
let held = 0;

/** What comes before the first step of a job. */
async function begin(deviceId) {
  if (!company) return deviceId === lethal && die();
  if (++held === company) void (lethal ? die() : process.send('held'));
  await new Promise(() => {});
}

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 4 });
const isCounted = async (deviceId) =>
  (await pool.query('select from counted where device_id = $1', [deviceId])).rowCount;

const count = defineKind({
  name: 'count',
  deadlineMs: 3_600_000,
  spec: z.strictObject({}),
  cursor: z.object({ at: z.enum(['count', 'end']) }),
  start: () => ({ at: 'count' }),
  steps: {
    count: async (cursor, { device }) => {
      await begin(device.id);
      return { next: 'effect', effect: 'count', cursor, before: {} };
    },
    end: () => ({ next: 'end', outcome: 'succeeded', result: {} }),
  },
  effects: {
    count: {
      at: 'count',
      send: async (_cursor, { device }) => {
        await pool.query('insert into counted values ($1, $2)', [device.id, process.pid]);
        return {};
      },
      conclude: async (_cursor, { answer }, { device }) =>
        answer || (await isCounted(device.id))
          ? { is: 'executed', after: {}, stepResult: { next: 'go', cursor: { at: 'end' } } }
          : { is: 'not_executed', after: {}, stepResult: { next: 'go', cursor: { at: 'count' } } },
    },
  },
  isIrrevocable: () => false,
});

JOB_KINDS.set(count.name, count);
process.once('disconnect', () => process.exit());
await startGateway({ config: readConfig(process.env) });
process.send('ready');
