import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { casesOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { PROJECT } from '../support/source/project.js';
import { until } from '../support/until.js';

/*
 * Real processes are lost with a schedule. `quarantine.http.spec.ts` has the rules, with marks as such processes leave them,
 * and `jobs/engine/quarantine-killed.long.spec.ts` has them for a job, with processes.
 */

const WORKER = fileURLToPath(new URL('test/support/workers/lethal-worker.mjs', PROJECT));

interface Row {
  readonly id: string;
  readonly enabled: boolean;
  readonly quarantinedAt: string | null;
  readonly lastRunAt: string | null;
}

const schedule = (name: string) => ({
  name,
  rhythm: { everySeconds: 86_400 },
  rollout: { name: 'r', kind: 'backup', selector: 'name:no-device' },
});

describe('a schedule that takes its worker process down', () => {
  let world: TestGateway;
  let db: pg.Pool;

  beforeAll(async () => {
    world = await startTestGateway({ ROLE: 'api', JOB_LEASE_SECONDS: '3' });
    db = new pg.Pool({ connectionString: world.databaseUrl, max: 1 });
  });
  afterAll(async () => {
    await db.end();
    await world.close();
  });

  function startWorker(lethal: string, rejects: boolean) {
    const given = JSON.stringify({ schedule: lethal, rejects, scale: 1, base: Date.now() });
    const child = spawn(process.execPath, [WORKER, given], {
      env: { PATH: process.env['PATH'], ...world.env, ROLE: 'worker', PORT: '0', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return { child, exit: once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]> };
  }

  const deaths = [
    { by: 'a promise that is rejected', rejects: true, end: [1, null] },
    { by: 'a signal', rejects: false, end: [null, 'SIGKILL'] },
  ];
  it.each(casesOf(deaths, 1, 1))(
    'is quarantined after the third process that is lost by $by, and the others run',
    async ({ by, rejects, end }) => {
      const [lethal, ...others] = await Promise.all(
        ['a', 'b', 'c'].map((name) => world.api.post<Row>('/v1/schedules', schedule(`${name} ${by}`))),
      );
      const read = ({ id }: Row) => world.api.get<Row>(`/v1/schedules/${id}`);
      await db.query(`update schedule set next_run_at = now() where enabled`);
      await db.query(`update schedule set next_run_at = now() - interval '1 second' where id = $1`, [lethal!.id]);
      const isOver = async () => {
        const rows = await Promise.all([lethal!, ...others].map(read));
        return rows[0]!.quarantinedAt !== null && rows.slice(1).every(({ lastRunAt }) => lastRunAt !== null);
      };
      const over = until(isOver).then(() => null);
      let died = 0;
      for (;;) {
        const { child, exit } = startWorker(lethal!.id, rejects);
        const first = await Promise.race([exit, over]);
        if (first === null) child.kill('SIGKILL');
        const [code, signal] = await exit;
        expect([code, signal]).toEqual(first === null ? [null, 'SIGKILL'] : end);
        if (first === null) break;
        died++;
        expect(died).toBeLessThanOrEqual(3);
      }
      expect(died).toBe(3);
      expect(await read(lethal!)).toMatchObject({ enabled: false, lastError: 'quarantined', lastRunAt: null });
      expect(await Promise.all(others.map(read))).toMatchObject(
        others.map(() => ({ enabled: true, quarantinedAt: null })),
      );
    },
  );
});
