import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ObservedBodies } from '../../src/templates/observed/observed-bodies.js';
import { ObservedStore, type PassEnd } from '../../src/templates/observed/observed-store.js';
import { SamplingPlanSweeper } from '../../src/monitoring/sampling-plan.sweeper.js';
import { WatchPlanSweeper } from '../../src/templates/watches/watch-plan.sweeper.js';
import { WatchSweeper } from '../../src/templates/watches/watch.sweeper.js';
import { startWatchedWorld, type WatchedWorld } from '../support/watched-world.js';
import { addPerson } from '../support/people.js';
import { until } from '../support/until.js';

/* What a pass of a watch reads, stores and says: the tables and events behind the views. */

const WIREGUARD = '/api/wireguard/config';
const USERS = '/api/users/config';
const NTP = '/api/ntp/servers/config';
const PATHS = [USERS, WIREGUARD, NTP, '/api/nothing/of/the/kind/config'];
const KEY = `${'k'.repeat(42)}A=`;

let world: WatchedWorld;

interface ChangeRow {
  readonly path: string;
  readonly options: readonly string[];
  readonly subject: string | null;
}

const changes = () =>
  world.db.query<ChangeRow[]>(
    `select path, options, (select subject from audit_entry entry where entry.id = audit_entry_id) as subject
       from observed_change order by at desc, path`,
  );
const events = () =>
  world.db.query<{ data: { name: string; changes: readonly object[] } }[]>(
    `select data from event where type = 'observed.changed' order by id desc`,
  );
const observed = (index: number) =>
  world.db.query<{ path: string; digest: string | null; error: string | null; changed_at: Date | null }[]>(
    'select path, digest, error, changed_at from observed where device_id = $1 order by path',
    [world.ids[index]],
  );
/** The transaction that wrote each row. */
const written = () =>
  world.db.query<object[]>(
    `select path as row, device_id, xmin::text from observed union all select digest, id, xmin::text from observed_body
      order by 1, 2`,
  );

beforeAll(async () => {
  world = await startWatchedWorld(['a/x', 'b']);
  await world.write(0, 'POST', WIREGUARD, { data: { id: 'tunnel', private_key: KEY } });
  await world.api.post('/v1/watches', { name: 'all', selector: 'all', paths: PATHS, everySeconds: 3_600 });
  await world.run('all');
});
afterAll(() => world.close());

describe('a pass', () => {
  it('stores each body once, without secrets, and says what the device has not', async () => {
    const [one, other] = await Promise.all([observed(0), observed(1)]);
    expect(one.map(({ path, error }) => [path, error])).toEqual([
      ['/api/nothing/of/the/kind/config', 'not_there'],
      [NTP, null],
      [USERS, null],
      [WIREGUARD, null],
    ]);
    expect(one[2]!.digest).toBe(other[2]!.digest);
    expect(one[3]!.digest).not.toBe(other[3]!.digest);
    const bodies = await world.db.query<{ digest: string }[]>('select digest from observed_body');
    expect(bodies).toHaveLength(new Set([...one, ...other].flatMap(({ digest }) => digest ?? [])).size);
    expect(await changes()).toEqual([]);
    expect(await events()).toEqual([]);
  });

  it('that finds the same writes nothing but its time', async () => {
    const before = await written();
    const times = 'select max(read_at) as at from watched_device';
    const [first] = await world.db.query<{ at: Date }[]>(times);
    await world.run('all');
    const [second] = await world.db.query<{ at: Date }[]>(times);
    expect(second!.at.getTime()).toBeGreaterThan(first!.at.getTime());
    expect(await written()).toEqual(before);
  });

  it('names a change behind our back to the option, as not by us', async () => {
    await world.writeBehind(1, 'PUT', `${NTP}/1`, { data: { hostname: 'time.example' } });
    await world.run('all');
    expect(await changes()).toEqual([{ path: NTP, options: ['1.hostname'], subject: null }]);
    const [event] = await events();
    expect(event!.data).toEqual({ name: 'r-1', changes: [{ path: NTP, options: ['1.hostname'] }] });
    expect(JSON.stringify(event)).not.toContain('time.example');
  });

  it('does not take an action of backups that changes nothing for the reason of a change', async () => {
    await world.write(1, 'POST', '/api/backup/actions/create_default', { data: {} });
    await world.writeBehind(1, 'PUT', `${NTP}/1`, { data: { hostname: 'night.example' } });
    await world.run('all');
    expect((await changes())[0]).toEqual({ path: NTP, options: ['1.hostname'], subject: null });
  });

  it('names a change by us with the audit entry of its write, one event for all paths', async () => {
    await world.write(0, 'PUT', `${NTP}/1`, { data: { hostname: 'ours.example' } });
    await world.write(0, 'PUT', `${WIREGUARD}/tunnel`, { data: { private_key: KEY.replace('kk', 'jj') } });
    await world.run('all', 'site:a/*');
    const [ntp, tunnel] = await changes();
    expect(ntp).toEqual({ path: NTP, options: ['1.hostname'], subject: `PUT ${NTP}/1` });
    expect(tunnel).toMatchObject({ path: WIREGUARD, subject: `PUT ${WIREGUARD}/tunnel` });
    expect(tunnel!.options).toContain('tunnel.private_key');
    const [event] = await events();
    expect(event!.data.changes).toHaveLength(2);
  });

  it('does not take a write to one section for the reason of a change of another', async () => {
    await world.write(0, 'PUT', `${NTP}/1`, { data: { hostname: 'ours.example' } });
    await world.writeBehind(0, 'POST', NTP, { data: { hostname: 'theirs.example' } });
    await world.run('all', 'site:a/*');
    expect((await changes())[0]).toMatchObject({
      path: NTP,
      options: [expect.not.stringMatching(/^1/)],
      subject: null,
    });
  });

  it('that ends late takes nothing back: a later reading, a change of its watch, what the author may not read', async () => {
    const plan = async () =>
      (
        await world.db.query<[{ watchId: string; version: number; readAt: Date; refused: string[] }]>(
          `select watch_id as "watchId", version, read_at as "readAt", refused_paths as refused
             from watched_device join watch on watch.id = watch_id where device_id = $1`,
          [world.ids[0]],
        )
      )[0];
    const [before, { watchId, version, readAt }] = [await observed(0), await plan()];
    const now = world.clock.now();
    const end: PassEnd = {
      watchId,
      deviceId: world.ids[0]!,
      watchVersion: version,
      readAt: now,
      dueAt: new Date(now.getTime() + 3_500_000),
      intervalSeconds: 3_600,
      bytes: 1,
      refusedPaths: [],
      month: now.toISOString().slice(0, 8).concat('01'),
      spentBytes: 0,
      error: null,
    };
    const store = world.gateway.app.get(ObservedStore);
    const count = (await changes()).length;
    const old = { path: NTP, body: { digest: ObservedBodies.digestOf('[1]'), json: '[1]' }, error: null };
    await store.keep({ ...end, readAt: new Date(readAt.getTime() - 1) }, [old]);
    expect([await observed(0), (await changes()).length]).toEqual([before, count]);
    await store.keep({ ...end, watchVersion: version + 1 }, []);
    expect((await plan()).readAt).toEqual(readAt);
    await store.keep({ ...end, refusedPaths: [USERS] }, []);
    await store.keep({ ...end, error: 'device_unreachable' }, []);
    expect(await plan()).toMatchObject({ readAt: now, refused: [USERS] });
    await world.db.query(`update watched_device set refused_paths = '{}'`);
  });

  it('keeps the last body while a device does not give one, and finds it again', async () => {
    const [, ntp] = await observed(1);
    const before = (await changes()).length;
    await world.db.query(`update observed set error = 'device_refused' where device_id = $1 and path = $2`, [
      world.ids[1],
      NTP,
    ]);
    await world.run('all');
    expect((await observed(1))[1]).toMatchObject({ digest: ntp!.digest, error: null });
    expect(await changes()).toHaveLength(before);
  });

  it('reads by itself when it is due, in the budget of the device', async () => {
    const due = () =>
      world.db.query<{ seconds: number; interval: number }[]>(
        `select extract(epoch from due_at - $1::timestamptz)::float8 as seconds, interval_seconds as interval
           from watched_device order by device_id`,
        [world.clock.now()],
      );
    for (const { seconds, interval } of await due()) {
      expect(interval).toBe(3_600);
      expect(seconds).toBeGreaterThan(3_600 * 0.94);
      expect(seconds).toBeLessThanOrEqual(3_600);
    }
    const policy = { name: 'budget', selector: 'all', budgetMb: 1 };
    const { id } = await world.api.post<{ id: string }>('/v1/monitoring/policies', policy);
    await world.gateway.app.get(SamplingPlanSweeper).sweep();
    await world.db.query(
      `insert into device_sample (device_id, sampled_at, paths, bytes, month, month_bytes, rest)
       select id, $1, '{}', 1, date_trunc('month', ($1::timestamptz + interval '1 hour') at time zone 'UTC'), 999999, '{}' from device
       on conflict (device_id) do update set month_bytes = excluded.month_bytes`,
      [world.clock.now()],
    );
    const [before] = await world.db.query<{ at: Date }[]>('select min(read_at) as at from watched_device');
    world.clock.pass(3_600_000);
    await until(async () => {
      await world.gateway.app.get(WatchSweeper).sweep();
      const [now] = await world.db.query<{ at: Date }[]>('select min(read_at) as at from watched_device');
      return now!.at.getTime() > before!.at.getTime();
    });
    expect((await due()).every(({ interval }) => interval > 3_600)).toBe(true);
    const [spent] = await world.db.query<{ least: string }[]>('select min(month_bytes) as least from device_sample');
    expect(Number(spent!.least)).toBeGreaterThan(999_999 + 4_000);
    await world.db.query(`update device_sample set month = month - interval '1 month'`); // another month begins
    await world.gateway.app.get(WatchPlanSweeper).sweep();
    expect((await due()).map(({ interval }) => interval)).toEqual([3_600, 3_600]);
    expect((await due()).every(({ seconds }) => seconds <= 3_600)).toBe(true);
    await world.api.send('DELETE', `/v1/monitoring/policies/${id}`);
  });

  it('reads no path that the author may not read, and leaves what another watch read there', async () => {
    const rules = [
      { effect: 'allow', permissions: ['*'] },
      { effect: 'deny', permissions: ['device.call_read'], devices: { api: { '/users/*': ['read'] } } },
    ];
    await world.api.send('PUT', '/v1/roles/no-users', { rules });
    const { api } = await addPerson(world, 'Noa', [{ role: 'no-users' }]);
    await api.post('/v1/watches', { name: 'narrow', selector: 'all', paths: [USERS, NTP] });
    const before = await observed(0);
    const readAt = async () => {
      const view = `/v1/devices/name:r-0/observed?path=${USERS}`;
      return (await world.api.get<{ items: readonly { readAt: string }[] }>(view)).items[0]!.readAt;
    };
    const lastRead = await readAt();
    await world.run('narrow');
    expect(await observed(0)).toEqual(before);
    expect(await readAt()).toBe(lastRead);
    const plan = `select refused_paths as paths from watched_device where refused_paths <> '{}'`;
    expect(await world.db.query(plan)).toEqual([{ paths: [USERS] }, { paths: [USERS] }]);
    await world.api.send('DELETE', '/v1/watches/narrow');
  });

  it('that takes three processes down disables its watch', async () => {
    const { id } = await world.api.post<{ id: string }>('/v1/watches', { name: 'bad', selector: 'all', paths: [NTP] });
    await world.db.query(
      `insert into work_mark (kind, row_id, owner, held_until, lost_workers) values ('watch', $1, 'gone', now() - interval '1 hour', 2)`,
      [id],
    );
    await world.gateway.app.get(WatchPlanSweeper).sweep();
    world.clock.pass(601_000);
    await until(async () => {
      await world.gateway.app.get(WatchSweeper).sweep();
      await world.gateway.app.get(WatchPlanSweeper).sweep();
      const now = await world.api.get<{ enabled: boolean; devices: number }>('/v1/watches/bad');
      return !now.enabled && now.devices === 0;
    });
    expect(await world.api.get('/v1/watches/bad')).toMatchObject({ lastError: 'quarantined' });
    await world.api.send('DELETE', '/v1/watches/bad');
  });

  it('of a watch that is disabled leaves no plan, and what it read stays', async () => {
    const watch = { name: 'all', selector: 'all', paths: PATHS, everySeconds: 3_600, enabled: false };
    await world.api.send('PUT', '/v1/watches/all', watch);
    await world.gateway.app.get(WatchPlanSweeper).sweep();
    expect(await world.db.query('select 1 from watched_device')).toEqual([]);
    expect(await observed(0)).toHaveLength(4);
    await world.run('all');
    await world.api.send('DELETE', '/v1/watches/all');
    expect(await observed(0)).toHaveLength(4);
  });

  it('holds no secret in rows and events', async () => {
    const tables = ['observed', 'observed_body', 'observed_change', 'event', 'watched_device'];
    const rows = await Promise.all(
      tables.map((table) => world.db.query<object[]>(`select to_jsonb(${table}) as row from ${table}`)),
    );
    expect(JSON.stringify(rows)).not.toContain('kkkkkkkk');
  });
});
