import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { type TestApi } from '../support/test-api.js';
import { startGateway, type Gateway } from '../../src/gateway.js';
import { readConfig } from '../../src/platform/config.js';
import { SchedulesService } from '../../src/rollouts/schedules/schedules.service.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson } from '../support/people.js';
import { untilRollout } from '../support/jobs/rollout-world.js';
import { until } from '../support/until.js';

interface ScheduleAnswer {
  readonly id: string;
  readonly nextRuns: string[];
  readonly lastRolloutId: string | null;
  readonly lastError: string | null;
  readonly orphaned: boolean;
}

const SCHEDULES = sizeOf({ short: 5, long: 5, nightly: 10 });

describe('schedules, on two processes that both run everything', () => {
  let test: TestGateway;
  let other: Gateway;
  let fleet: Fleet;
  let operator: TestApi;
  let db: pg.Client;

  beforeAll(async () => {
    fleet = await startOwnFleet({ devices: SCHEDULES, timeScale: 600 });
    test = await startTestGateway();
    operator = test.as('operator');
    const config = { DATABASE_URL: test.databaseUrl, DATA_DIR: test.dataDir, PORT: '0', DEVICE_ALLOW_LOOPBACK: 'true' };
    other = await startGateway({ config: readConfig({ ...config, LOG_LEVEL: 'silent', STATUS_EVERY_SECONDS: '0' }) });
    db = new pg.Client({ connectionString: test.databaseUrl });
    await db.connect();
    for (const { baseUrl, username, password, index } of fleet.devices) {
      await operator.post('/v1/devices', { name: `router-${index}`, baseUrl, credentials: { username, password } });
    }
  });
  afterAll(async () => {
    await db.end();
    await other.close();
    await test.close();
    await fleet.close();
  });

  let bodies = 0;
  const body = (index: number, more: object = {}) => ({
    name: `nightly ${++bodies} of ${index}`,
    rhythm: { cron: '30 2 * * *', timeZone: 'Europe/Vilnius' },
    rollout: { name: `backup ${index}`, kind: 'backup', selector: `name:router-${index}`, policy: { held: 'wait' } },
    ...more,
  });
  const read = (id: string) => operator.get<ScheduleAnswer>(`/v1/schedules/${id}`);
  /** Lets a schedule be due, as the passing of time does. */
  const makeDue = (id: string, agoSeconds = 0) =>
    db.query(`update schedule set next_run_at = now() - $2 * interval '1 second' where id = $1`, [id, agoSeconds]);
  const untilRun = async (id: string): Promise<ScheduleAnswer> => {
    await until(async () => {
      const { rows } = await db.query<{ at: Date | null }>('select last_run_at as at from schedule where id = $1', [
        id,
      ]);
      return rows[0]!.at;
    });
    return read(id);
  };

  it('run each once, start one rollout each, and say when they run next', async () => {
    const backups = () => fleet.devices.map(({ index }) => fleet.ledger.summary(index).effects['backup'] ?? 0);
    const before = backups();
    const ids: string[] = [];
    for (let index = 0; index < SCHEDULES; index++) {
      ids.push((await operator.post<ScheduleAnswer>('/v1/schedules', body(index))).id);
    }
    await db.query('update schedule set next_run_at = now()');
    for (const id of ids) {
      const { lastRolloutId, nextRuns } = await untilRun(id);
      const done = await untilRollout(operator, (await read(id)).lastRolloutId ?? lastRolloutId!, 'finished');
      expect(done.counts).toMatchObject({ succeeded: 1 });
      expect(nextRuns.every((run) => Date.parse(run) > Date.now())).toBe(true);
    }
    const { items } = await operator.get<{ items: ScheduleAnswer[] }>('/v1/schedules?runs=20');
    for (const { nextRuns } of items) expect(new Set(nextRuns).size).toBe(20);
    const { rows: rollouts } = await db.query('select from rollout where schedule_id = any($1)', [ids]);
    expect(rollouts).toHaveLength(SCHEDULES);
    expect(backups()).toEqual(before.map((count) => count + 1));
    const { rows } = await db.query(`select from audit_entry where action = 'schedule.run' and subject = any($1)`, [
      ids.map((id) => `schedule:${id}`),
    ]);
    expect(rows).toHaveLength(SCHEDULES);
  });

  it('run once also where another process ran them between two looks of this one', async () => {
    const { id } = await operator.post<ScheduleAnswer>('/v1/schedules', body(2));
    const service = test.gateway.app.get(SchedulesService);
    const get = service.get.bind(service);
    const looks = vi.spyOn(service, 'get').mockImplementation(async (wanted) => {
      looks.mockRestore();
      await db.query('delete from work_mark where row_id = $1', [id]); // it stood still until its mark ran out
      await untilRun(id); // the other process was quicker
      return get(wanted);
    });
    await makeDue(id);
    await Promise.all([service.sweep(), other.app.get(SchedulesService).sweep()]);
    await untilRollout(operator, (await untilRun(id)).lastRolloutId!, 'finished');
    const { rows } = await db.query(`select from audit_entry where action = 'schedule.run' and subject = $1`, [
      `schedule:${id}`,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('make up once for runs that were missed, or leave them out, as they were told', async () => {
    const [once, skip] = await Promise.all(
      (['once', 'skip'] as const).map((missed) => operator.post<ScheduleAnswer>('/v1/schedules', body(0, { missed }))),
    );
    await makeDue(once!.id, 7_200);
    await makeDue(skip!.id, 7_200);
    expect((await untilRun(skip!.id)).lastError).toBe('run_missed');
    const { lastError, lastRolloutId } = await untilRun(once!.id);
    expect(lastError).toBeNull();
    await untilRollout(operator, lastRolloutId!, 'finished');
  });

  it('start nothing while their last rollout is open, and say so', async () => {
    const gated = { waves: [{ take: { count: 1 }, gate: 'manual' }] };
    const { id } = await operator.post<ScheduleAnswer>(
      '/v1/schedules',
      body(1, { rollout: { ...body(1).rollout, policy: gated } }),
    );
    await makeDue(id);
    const { lastRolloutId } = await untilRun(id);
    await db.query('update schedule set last_run_at = null where id = $1', [id]);
    await makeDue(id);
    expect(await untilRun(id)).toMatchObject({ lastError: 'last_rollout_open', lastRolloutId });
    await operator.post(`/v1/rollouts/${lastRolloutId}/abort`, {});
  });

  it('start nothing for a revoked key or a person who was disabled, whose open rollouts pause, and are shown as orphans', async () => {
    const person = await addPerson(test, 'Otto', [{ role: 'operator' }]);
    const key = await addKey(test, person.operatorId, { stepUp: true });
    const gated = { waves: [{ take: { count: 1 }, gate: 'manual' }] };
    const slow = { ...body(3).rollout, policy: gated };
    const ofKey = await key.api.post<ScheduleAnswer>('/v1/schedules', body(3, { rollout: slow }));
    const inTime = body(4);
    const ofSomebody = await person.api.post<ScheduleAnswer>('/v1/schedules', inTime);
    await makeDue(ofKey.id);
    const { lastRolloutId } = await untilRun(ofKey.id);
    await db.query('update schedule set last_run_at = null');
    await test.api.send('DELETE', `/v1/api-keys/${key.keyId}`);
    expect([await read(ofKey.id), await read(ofSomebody.id)]).toMatchObject([{ orphaned: true }, { orphaned: false }]);
    const open = await untilRollout(operator, lastRolloutId!, 'paused');
    expect(open.pause).toMatchObject({ cause: 'author_gone', sentence: expect.stringContaining('Otto') });
    await operator.post(`/v1/rollouts/${lastRolloutId}/abort`, {});
    await test.api.send('PATCH', `/v1/operators/${person.operatorId}`, { disabled: true });
    for (const { id } of [ofKey, ofSomebody]) {
      await makeDue(id);
      expect(await untilRun(id)).toMatchObject({ orphaned: true, lastError: 'author_gone' });
    }
    expect((await read(ofSomebody.id)).lastRolloutId).toBeNull();
    await operator.send('PUT', `/v1/schedules/${ofSomebody.id}`, inTime);
    await db.query('update schedule set last_run_at = null');
    await makeDue(ofSomebody.id);
    expect(await untilRun(ofSomebody.id)).toMatchObject({ orphaned: false, lastError: null });
  });

  it('say when a line of cron runs next before it is saved, as a schedule with it then does', async () => {
    const next = (cron: string, zone: string) =>
      operator.get<Pick<ScheduleAnswer, 'nextRuns'>>(
        `/v1/schedules/next-runs?${new URLSearchParams({ cron, timeZone: zone, runs: '3' }).toString()}`,
      );
    const rhythm = { cron: '30 2 * * 1-5', timeZone: 'Europe/Vilnius' };
    const saved = await operator.post<ScheduleAnswer>('/v1/schedules', body(0, { name: 'on weekdays', rhythm }));
    expect(await next(rhythm.cron, rhythm.timeZone)).toEqual({ nextRuns: saved.nextRuns });
    await expect(next('61 * * * *', 'UTC')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(next('0 3 31 2 *', 'UTC')).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(next('0 3 * * *', 'Europe/Atlantis')).rejects.toMatchObject({ code: 'invalid_input' });
  });

  it('refuse a name that is taken, a template that cannot be planned, and a version that has passed', async () => {
    const taken = body(0, { enabled: false });
    await operator.post('/v1/schedules', taken);
    await expect(operator.post('/v1/schedules', taken)).rejects.toMatchObject({ code: 'schedule_exists' });
    const wrong = body(0, { rollout: { ...body(0).rollout, kind: 'nonsense' } });
    await expect(operator.post('/v1/schedules', wrong)).rejects.toMatchObject({ code: 'invalid_input' });
    const made = await operator.send<ScheduleAnswer>('POST', '/v1/schedules', body(2, { enabled: false }));
    expect(made.body.nextRuns).toEqual([]);
    const changed = body(2, { rhythm: { everySeconds: 3_600 } });
    const etag = made.headers['etag']!;
    const { body: after } = await operator.send<ScheduleAnswer>('PUT', `/v1/schedules/${made.body.id}`, changed, {
      'if-match': etag,
    });
    expect(after.nextRuns).toHaveLength(3);
    await expect(
      operator.send('PUT', `/v1/schedules/${made.body.id}`, changed, { 'if-match': etag }),
    ).rejects.toMatchObject({ code: 'version_changed' });
    await operator.send('DELETE', `/v1/schedules/${made.body.id}`);
    await expect(read(made.body.id)).rejects.toMatchObject({ code: 'schedule_not_found' });
  });
});
