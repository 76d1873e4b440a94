import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import pg from 'pg';
import { ApiError } from '../../src/api-client/api-client.js';
import { Locks } from '../../src/auth/access/locks.service.js';
import { Authors } from '../../src/auth/keys/authors.service.js';
import { DiscoveryRows } from '../../src/discovery/discovery-rows.js';
import { DiscoverySweeper } from '../../src/discovery/discovery.sweeper.js';
import { Clock } from '../../src/platform/clock.js';
import { WorkMarks } from '../../src/database/work-marks.js';
import { LOG } from '../../src/platform/log.js';
import { AddressVisits } from '../../src/proxy/sessions/address-visits.js';
import { startFleet, type Fleet } from '../../src/simulator/fleet.js';
import { sizeOf } from '../support/forms.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { TestApi } from '../support/test-api.js';
import { until } from '../support/until.js';
import { HOSTILE_COUNT, HostileNeighbours } from './hostile-neighbours.js';

/*
 * Searches of a network on loopback, with devices from .1 on, hostile listeners and addresses where nothing listens. The
 * devices are one fleet for all tests; logins are compared with those before.
 */

const NETWORK = '127.23.208';
/** The number of the device at its first address. */
const FIRST_NUMBER = 500_001;
const PORT = 18_443;
const PREFIX = sizeOf({ short: 27, long: 24 });
const PRESENT = sizeOf({ short: 12, long: 40 });
const FIRST_HOSTILE = sizeOf({ short: 20, long: 200 });
const ADDRESSES = 2 ** (32 - PREFIX) - 2;
const KNOWN = 3;
const PASSWORD = 'Fleet-Password-77!';
const RIGHT = { username: 'admin', password: PASSWORD };
const WRONG = { username: 'admin', password: 'Not-The-Password-1' };
const FAST = { atOnce: 32, perSecond: 200 };

interface Run {
  readonly id: string;
  readonly state: string;
  readonly addresses: number;
  readonly searched: number;
  readonly found: { devices: number; others: number };
  readonly logins: { granted: number; refused: number; unclear: number };
  readonly failure: string | null;
  readonly startedAt: string;
  readonly endedAt: string;
}

interface FoundAddress {
  readonly id: string;
  readonly address: string;
  readonly baseUrl: string;
  readonly kind: string;
  readonly reason: string | null;
  readonly pin: string | null;
  readonly certificate: { subject: string; fingerprint: string } | null;
  readonly name: string | null;
  readonly identifier: string | null;
  readonly login: string | null;
  readonly serial: string | null;
  readonly known: { deviceId: string; by: string; pinMatches: boolean } | null;
}

interface Page {
  readonly items: FoundAddress[];
  readonly next: string | null;
}

interface AcceptedItems {
  readonly items: { found: string; outcome: string; deviceId: string | null; code: string | null }[];
}

let world: TestGateway;
let fleet: Fleet;
let db: pg.Client;
let known: string[];
const hostile = new HostileNeighbours();

beforeAll(async () => {
  [world, fleet] = await Promise.all([
    startTestGateway(),
    startFleet({
      devices: PRESENT,
      firstNumber: FIRST_NUMBER,
      addressing: 'address',
      port: PORT,
      profile: 'rutos',
      adminPassword: PASSWORD,
    }),
    hostile.listen(NETWORK, FIRST_HOSTILE, PORT),
  ]);
  db = new pg.Client({ connectionString: world.databaseUrl });
  await db.connect();
  known = [];
  for (const { name, baseUrl, serial } of fleet.devices.slice(0, KNOWN)) {
    const device = { name, baseUrl, serial, site: 'secret', credentials: RIGHT };
    known.push((await world.api.post<{ id: string }>('/v1/devices', device)).id);
  }
});
afterAll(async () => {
  hostile.close();
  await fleet.close();
  await db.end();
  await world.close();
});

const start = (more: object = {}, api = world.api) =>
  api.post<Run>('/v1/discovery', {
    networks: [`${NETWORK}.0/${PREFIX}`],
    ports: [PORT],
    pace: FAST,
    ...more,
  });

const get = (id: string) => world.api.get<Run>(`/v1/discovery/${id}`);

async function untilEnded({ id }: { id: string }): Promise<Run> {
  return until(async () => {
    const run = await get(id);
    return run.state !== 'queued' && run.state !== 'running' && run;
  });
}

const search = async (more: object = {}): Promise<Run> => untilEnded(await start(more));

const found = async (id: string, query = '', api = world.api) =>
  (await api.get<Page>(`/v1/discovery/${id}/found?${query}`)).items;

const logins = () => fleet.devices.map(({ index }) => fleet.ledger.summary(index).logins);
const failed = () => fleet.devices.map(({ index }) => fleet.ledger.summary(index).failedLogins);

const codeOf = (act: Promise<unknown>) =>
  act.then(
    () => 'no error',
    (error: unknown) => (error instanceof ApiError ? error.code : Promise.reject(error as Error)),
  );

const auditOf = async (action: string, id: string) =>
  (
    await db.query<{ facts: Record<string, unknown> }>(
      'select facts from audit_entry where action = $1 and subject = $2',
      [action, `discovery:${id}`],
    )
  ).rows;

describe('a search', () => {
  let run: Run;
  it('finds all devices among hostile listeners, logs in on the new ones, and ends within its pace', async () => {
    const before = { logins: logins(), failed: failed() };
    run = await search({ credentials: [RIGHT] });

    expect(run).toMatchObject({
      state: 'finished',
      addresses: ADDRESSES,
      searched: ADDRESSES,
      found: { devices: PRESENT, others: HOSTILE_COUNT },
      logins: { granted: PRESENT - KNOWN, refused: 0, unclear: 0 },
    });
    expect(failed()).toEqual(before.failed);
    const isNew = fleet.devices.map(({ index }) => Number(index >= KNOWN));
    expect(logins().map((count, index) => count - before.logins[index]!)).toEqual(isNew);
    // The last address has its turn by then; the visits themselves are bounded.
    const tookMs = Date.parse(run.endedAt) - Date.parse(run.startedAt);
    expect(tookMs).toBeGreaterThanOrEqual(((ADDRESSES - 1) / FAST.perSecond) * 1_000 - 50);
    expect(tookMs).toBeLessThan((ADDRESSES / FAST.perSecond) * 1_000 + 20_000);
  });

  it('leaves no session on a device', () => {
    expect(fleet.devices.filter(({ sessions }) => sessions.open > 0)).toEqual([]);
  });

  it('shows each device with its certificate, identity, and whether it is known', async () => {
    const devices = await found(run.id, 'kind=device&limit=1000');

    expect(devices.map(({ address }) => address)).toEqual(
      fleet.devices.map(({ baseUrl }) => new URL(baseUrl).hostname),
    );
    const [first] = devices;
    expect(first).toMatchObject({ login: null, serial: null, known: { deviceId: known[0], by: 'serial' } });
    for (const [index, device] of devices.entries()) {
      const { fingerprint, name, serial, baseUrl } = fleet.devices[index]!;
      expect(device).toMatchObject({ baseUrl, pin: fingerprint, name });
      expect(device.certificate?.fingerprint).toMatch(/^[0-9a-f]{64}$/);
      if (index >= KNOWN) expect(device).toMatchObject({ login: 'granted', serial, known: null });
    }
  });

  it('shows what else answered, with a bounded reason', async () => {
    const others = await found(run.id, 'kind=other');
    expect(others).toHaveLength(HOSTILE_COUNT);
    for (const { reason } of others) expect([reason?.length, reason]).toEqual([expect.any(Number), expect.any(String)]);
    expect(others.every(({ reason }) => reason!.length <= 120)).toBe(true);
  });

  it('gives its finds in pages, and by what is known', async () => {
    const path = `/v1/discovery/${run.id}/found?limit=5`;
    const first = await world.api.get<Page>(path);
    const second = await world.api.get<Page>(`${path}&cursor=${first.next}`);
    const all = await found(run.id, 'limit=1000');
    expect([...first.items, ...second.items]).toEqual(all.slice(0, 10));
    expect(await found(run.id, 'known=true')).toHaveLength(KNOWN);
    expect(await found(run.id, 'login=granted&limit=1000')).toHaveLength(PRESENT - KNOWN);
  });

  it('is in the audit with fingerprints, and its ends are events', async () => {
    const [started] = await auditOf('discovery.start', run.id);
    expect(started?.facts).toMatchObject({
      networks: [`${NETWORK}.0/${PREFIX}`],
      credentials: [{ username: 'admin', password: expect.stringMatching(/^hmac:/) as string }],
    });
    const [ended] = await auditOf('discovery.end', run.id);
    expect(ended?.facts).toMatchObject({ state: 'finished', devices: PRESENT, logins: PRESENT - KNOWN });
    const { rows } = await db.query('select type, data from event where subject = $1 order by id', [
      `discovery:${run.id}`,
    ]);
    expect(rows).toMatchObject([
      { type: 'discovery.started', data: { addresses: ADDRESSES } },
      { type: 'discovery.ended', data: { state: 'finished', devices: PRESENT } },
    ]);
  });

  it('does not name devices that the caller may not see, and registers nothing for callers who may not', async () => {
    const rules = [{ effect: 'allow', permissions: ['discovery.*'] }];
    await world.api.send('PUT', '/v1/roles/searcher', { rules });
    const { api } = await addPerson(world, 'searcher', [{ role: 'searcher' }]);
    const seen = await found(run.id, 'kind=device&limit=1000', api);
    expect(seen.map((find) => find.known)).toEqual(seen.map(() => null));
    expect(await found(run.id, 'known=true', api)).toEqual([]);

    const chosen = [seen[0]!.id, seen[KNOWN]!.id];
    const { items } = await api.post<AcceptedItems>(`/v1/discovery/${run.id}/accept`, { found: chosen });
    expect(items.map(({ outcome, code, deviceId }) => [outcome, code, deviceId])).toEqual([
      ['refused', 'forbidden', null],
      ['refused', 'forbidden', null],
    ]);
  });

  it('is for holders of its permissions alone', async () => {
    expect(await codeOf(start({}, world.as('viewer')))).toBe('forbidden');
    expect(await codeOf(found(run.id, '', world.as('viewer')))).toBe('forbidden');
    expect(await codeOf(world.as('viewer').post(`/v1/discovery/${run.id}/cancel`, {}))).toBe('forbidden');
  });

  it('makes devices of the chosen finds, once, with the key and the credentials that it saw', async () => {
    const devices = await found(run.id, 'kind=device&limit=1000');
    const [other] = await found(run.id, 'kind=other');
    const chosen = [devices[KNOWN]!.id, devices[0]!.id, other!.id, run.id];
    const accept = { found: chosen, tags: ['found'], site: 'plant' };
    const { items } = await world.api.post<AcceptedItems>(`/v1/discovery/${run.id}/accept`, accept);

    expect(items.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['accepted', null],
      ['known', null],
      ['refused', 'find_is_no_device'],
      ['refused', 'find_not_found'],
    ]);
    const { serial, fingerprint, baseUrl } = fleet.devices[KNOWN]!;
    const made = await world.api.get(`/v1/devices/${items[0]!.deviceId}`);
    expect(made).toMatchObject({ baseUrl, serial, tags: ['found'], site: 'plant', trust: { pin: fingerprint } });
    const status = await world.api.get<{ success: boolean }>(`/v1/devices/serial:${serial}/api/system/device/status`);
    expect(status.success).toBe(true);

    const again = await world.api.post<AcceptedItems>(`/v1/discovery/${run.id}/accept`, accept);
    expect(again.items.slice(0, 2).map(({ outcome, deviceId }) => [outcome, deviceId])).toEqual([
      ['known', items[0]!.deviceId],
      ['known', known[0]],
    ]);
  });

  it('gives credentials of its starter to no one else', async () => {
    const { api } = await addPerson(world, 'second', [{ role: 'operator' }]);
    const find = (await found(run.id, 'kind=device&limit=1000'))[KNOWN + 1]!;
    const { items } = await api.post<AcceptedItems>(`/v1/discovery/${run.id}/accept`, { found: [find.id] });
    expect(items[0]).toMatchObject({ outcome: 'accepted' });
    const made = await world.api.get<{ credentials: unknown }>(`/v1/devices/${items[0]!.deviceId}`);
    expect(made.credentials).toBeNull();
  });

  it('sends no second login when it goes over its addresses again after a crash', async () => {
    await db.query(
      `update discovery set state = 'running', searched = 0, ended_at = null where id = $1`, // as before its end
      [run.id],
    );
    world.gateway.app.get(DiscoverySweeper).startSoon();
    const before = logins();
    const ids = (await found(run.id, 'limit=1000')).map(({ id }) => id);
    const again = await untilEnded(run);
    expect(again).toMatchObject({ state: 'finished', found: { devices: PRESENT, others: HOSTILE_COUNT } });
    expect(logins()).toEqual(before);
    expect((await found(run.id, 'limit=1000')).map(({ id }) => id)).toEqual(ids);
  });
});

describe('credentials of a search', () => {
  it('are sent once each, until one is accepted', async () => {
    const before = { logins: logins(), failed: failed() };
    const run = await search({ networks: [`${NETWORK}.8/30`], credentials: [WRONG, RIGHT] });
    expect(run.logins).toEqual({ granted: 2, refused: 2, unclear: 0 });
    const changes = (now: readonly number[], then: readonly number[]) =>
      now.flatMap((count, index) => (count === then[index] ? [] : [[index, count - then[index]!]]));
    const ofBoth = [
      [8, 1],
      [9, 1],
    ];
    expect(changes(logins(), before.logins)).toEqual(ofBoth);
    expect(changes(failed(), before.failed)).toEqual(ofBoth);
    const { rows } = await db.query<{ kept: boolean }>(
      `select sealed_password is not null as kept from discovery_credentials where discovery_id = $1 order by ordinal`,
      [run.id],
    );
    expect(rows.map(({ kept }) => kept)).toEqual([false, true]);
  });

  it('stay at home unless they are given', async () => {
    const before = [logins(), failed()];
    const run = await search({ networks: [`${NETWORK}.8/30`] });
    expect([run.found.devices, run.logins]).toEqual([2, { granted: 0, refused: 0, unclear: 0 }]);
    expect([logins(), failed()]).toEqual(before);
  });
});

describe('what an address claims', () => {
  it('is cut and cleaned, and makes it no known device under its own serial number', async () => {
    const address = `${NETWORK}.${FIRST_HOSTILE + HOSTILE_COUNT}`;
    const data = {
      device_name: `bad\n\u0000${'x'.repeat(9_000)}`,
      api_version: '1.9',
      device_identifier: fleet.devices[1]!.serial,
    };
    const body = JSON.stringify({ success: true, data });
    const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
    await hostile.answer(address, PORT, `${head}\r\n\r\n${body}`);
    const run = await search({ networks: [`${address}/32`], credentials: [RIGHT] });

    const [find] = await found(run.id);
    expect(find).toMatchObject({ kind: 'device', name: `bad${'x'.repeat(117)}`, login: null, serial: null });
    expect(find?.known).toMatchObject({ deviceId: known[1], by: 'serial', pinMatches: false });
    expect(run.logins).toEqual({ granted: 0, refused: 0, unclear: 0 });
    const { items } = await world.api.post<AcceptedItems>(`/v1/discovery/${run.id}/accept`, { found: [find!.id] });
    expect(items).toMatchObject([{ outcome: 'known', deviceId: known[1] }]);
  });
});

describe('the limits of a search', () => {
  it.each([
    ['too many addresses', { networks: ['10.0.0.0/19'] }, 'network_refused'],
    ['the metadata service', { networks: ['169.254.169.254/32'] }, 'network_refused'],
    ['no network', { networks: ['10.0.0.1'] }, 'invalid_input'],
    ['too many ports', { ports: [1, 2, 3, 4, 5] }, 'invalid_input'],
    ['too many credentials', { credentials: [RIGHT, RIGHT, RIGHT, RIGHT] }, 'invalid_input'],
    ['too fast', { pace: { perSecond: 1_000 } }, 'invalid_input'],
  ])('refuse %s', async (_what, more, code) => {
    expect(await codeOf(start(more))).toBe(code);
  });

  it('leave out the addresses of the gateway itself', async () => {
    const { port } = new URL(world.url);
    const run = await search({ networks: ['127.0.0.1/32'], ports: [Number(port)] });
    expect(run).toMatchObject({ state: 'finished', found: { devices: 0, others: 0 } });
  });

  it('are ten searches of an operator at the same time, which end when they are cancelled', async () => {
    const open: Run[] = [];
    const slow = { pace: { atOnce: 1, perSecond: 5 }, credentials: [RIGHT] };
    for (let count = 0; count < 10; count++) open.push(await start(slow));
    expect(await codeOf(start(slow))).toBe('too_many_discoveries');
    const { id: operatorId } = await world.api.post<Run>('/v1/operators', { name: 'Eve', role: 'administrator' });
    const { key } = await world.api.post<{ key: string }>('/v1/api-keys', { operatorId, name: 'other' });
    open.push(await start({ pace: slow.pace }, new TestApi({ url: world.url, key })));
    const cancelled = await Promise.all(open.map(({ id }) => world.api.post<Run>(`/v1/discovery/${id}/cancel`, {})));
    expect(new Set(cancelled.map(({ state }) => state))).toEqual(new Set(['cancelled']));
    expect(await codeOf(world.api.post(`/v1/discovery/${open[0]!.id}/cancel`, {}))).toBe('discovery_ended');
    const { rows } = await db.query(
      'select id from discovery_credentials where discovery_id = any ($1) and sealed_password is not null',
      [open.map(({ id }) => id)],
    );
    expect(rows.length).toBeLessThanOrEqual(1); // of what a device accepted before the cancel
    const list = await world.api.get<{ items: Run[] }>('/v1/discovery?limit=11');
    expect(new Set(list.items.map(({ id }) => id))).toEqual(new Set(open.map(({ id }) => id)));
  });

  it('end it before the next login when its starter lost the right since the last one', async () => {
    const { api, operatorId } = await addPerson(world, 'demoted', [{ role: 'operator' }]);
    const before = { logins: logins(), failed: failed() };
    const { app } = world.gateway;
    const authors = app.get(Authors);
    const find = authors.find.bind(authors);
    const hasFailed = () => failed().some((count, index) => count > before.failed[index]!);
    // The roles go just after the first login, before the search looks at its starter again.
    const look = vi.spyOn(authors, 'find').mockImplementation(async (author) => {
      if (author.operatorId === operatorId && hasFailed()) {
        await world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles: [{ role: 'viewer' }] });
      }
      return find(author);
    });
    try {
      const credentials = [WRONG, RIGHT];
      const { id } = await start({ networks: [`${NETWORK}.11/32`], credentials, pace: FAST }, api);
      expect(await untilEnded({ id })).toMatchObject({ state: 'failed', failure: 'starter_may_not' });
    } finally {
      look.mockRestore();
    }
    expect(logins()).toEqual(before.logins);
    const more = failed().map((count, index) => count - before.failed[index]!);
    expect(more.filter((count) => count > 0)).toEqual([1]);
  });

  it('end it when its starter may search no more', async () => {
    const { api, operatorId } = await addPerson(world, 'leaver', [{ role: 'operator' }]);
    const { id } = await start({ pace: { atOnce: 1, perSecond: 5 } }, api);
    await world.api.send('PUT', `/v1/operators/${operatorId}/roles`, { roles: [{ role: 'viewer' }] });
    expect(await untilEnded({ id })).toMatchObject({ state: 'failed', failure: 'starter_may_not' });
  });
});

describe('a process that stops in a search', () => {
  it('hands it back, and another one goes on where it was, without a second login', async () => {
    const { app } = world.gateway;
    const before = { logins: logins(), failed: failed() };
    const { id } = await start({ pace: { atOnce: 2, perSecond: 10 }, credentials: [RIGHT] });
    await until(async () => (await get(id)).searched > 0);
    await db.query('update work_mark set lost_workers = 1 where row_id = $1', [id]);
    const counted = 'select lost_workers as lost from work_mark where row_id = $1';
    await until(async () => (await db.query<{ lost: number }>(counted, [id])).rows[0]?.lost === 0); // it made progress
    await app.get(DiscoverySweeper).beforeApplicationShutdown();
    const stopped = await get(id);
    expect(stopped.state).toBe('running');
    expect(stopped.searched).toBeLessThan(ADDRESSES);

    await db.query('update discovery set per_second = 200, at_once = 32 where id = $1', [id]);
    const other = new DiscoverySweeper(
      app.get(DiscoveryRows),
      app.get(AddressVisits),
      app.get(Clock),
      app.get(WorkMarks),
      app.get(Authors),
      app.get(Locks),
      app.get(LOG),
    );
    expect(await other.sweep()).toMatchObject({ started: 1 });
    const run = await untilEnded({ id });
    expect(run).toMatchObject({ state: 'finished', found: { devices: PRESENT + 1, others: HOSTILE_COUNT } });
    const more = logins().map((count, index) => count - before.logins[index]!);
    expect(more.every((count) => count <= 1)).toBe(true);
    // The process may have stopped between the login and its answer: such a login is unclear, and not sent again.
    const { granted, unclear } = run.logins;
    const sent = more.filter((count) => count === 1).length;
    expect(sent).toBeGreaterThanOrEqual(granted);
    expect(sent).toBeLessThanOrEqual(granted + unclear);
    expect(failed()).toEqual(before.failed);
  });
});
