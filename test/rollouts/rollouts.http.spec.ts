import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type TestApi } from '../support/test-api.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addKey, addPerson } from '../support/people.js';
import { createRollout, untilRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';

const DEVICES = 12;

const isDone = ({ counts }: RolloutAnswer) => counts['succeeded'] === 1;

describe('rollouts through the API, on simulated devices', () => {
  let test: TestGateway;
  let fleet: Fleet;
  let operator: TestApi;
  const ids: string[] = [];

  beforeAll(async () => {
    fleet = await startOwnFleet({ devices: DEVICES, timeScale: 600 });
    test = await startTestGateway();
    operator = test.as('operator');
    for (const { baseUrl, username, password, index } of fleet.devices) {
      const tags = index < 2 ? ['lab'] : [];
      const site = index % 2 === 0 ? 'vilnius/north' : 'kaunas';
      const body = { name: `router-${index}`, baseUrl, tags, site, credentials: { username, password } };
      ids.push((await operator.post<{ id: string }>('/v1/devices', body)).id);
    }
    await operator.post('/v1/devices', { name: 'without-account', baseUrl: 'https://192.0.2.1' });
  });
  afterAll(async () => {
    await test.close();
    await fleet.close();
  });

  const backups = () => fleet.devices.map(({ index }) => fleet.ledger.summary(index).effects['backup'] ?? 0);

  it('say before they begin who takes part in which wave, who does not and why, and when they end', async () => {
    const backupsBefore = backups();
    const { items: rolloutsBefore } = await operator.get<{ items: unknown[] }>('/v1/rollouts');
    const plan = await operator.post<Record<string, unknown>>('/v1/rollouts', {
      name: 'nightly',
      dryRun: true,
      kind: 'backup',
      selector: 'name:*',
      policy: { waves: [{ name: 'lab', take: { tag: 'lab' } }, { take: { percent: 50 } }, { take: 'rest' }] },
    });
    expect(plan).toMatchObject({
      total: DEVICES,
      waves: [
        { name: 'lab', total: 2 },
        { name: 'wave 2', total: 6 },
        { name: 'wave 3', total: 4 },
      ],
      skipped: [{ name: 'without-account', reason: 'device_has_no_credentials' }],
      needsApproval: false,
    });
    expect(Date.parse((plan['estimate'] as { endsAt: string }).endsAt)).toBeGreaterThan(Date.now());
    expect((await operator.get<{ items: unknown[] }>('/v1/rollouts')).items).toHaveLength(rolloutsBefore.length);
    expect(backups()).toEqual(backupsBefore);
  });

  it('go wave by wave, do each device once, and their counts add up at every look', async () => {
    const before = backups();
    const rollout = await createRollout(operator, {
      kind: 'backup',
      selector: 'name:router-*',
      policy: { waves: [{ take: { count: 1 } }, { take: { percent: 25 } }, { take: 'rest' }], concurrency: 4 },
    });
    const looks: RolloutAnswer[] = [];
    const done = await untilRollout(operator, rollout.id, 'finished', (look) => looks.push(look));
    expect(done.counts).toMatchObject({ succeeded: DEVICES });
    expect(done.waves!.map(({ state }) => state)).toEqual(['passed', 'passed', 'passed']);
    expect(backups()).toEqual(before.map((count) => count + 1));
    for (const { counts, total } of looks) {
      expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(total);
      expect(counts['queued']! + counts['running']!).toBeLessThanOrEqual(4);
    }
    const [canary, early, rest] = done.waves!;
    expect(Date.parse(early!.startedAt!)).toBeGreaterThanOrEqual(Date.parse(canary!.endedAt!));
    expect(Date.parse(rest!.startedAt!)).toBeGreaterThanOrEqual(Date.parse(early!.endedAt!));
  });

  it('begin nothing while they are paused, and end what is left when they are aborted', async () => {
    const before = backups();
    const rollout = await createRollout(operator, {
      kind: 'backup',
      selector: 'name:router-*',
      policy: { waves: [{ take: { count: 1 } }, { take: 'rest', gate: 'manual' }] },
    });
    const gated = await untilRollout(
      operator,
      rollout.id,
      'running',
      undefined,
      (look) => look.counts['succeeded'] === 1,
    );
    expect(gated.counts).toMatchObject({ waiting: DEVICES - 1 });
    const paused = await operator.post<RolloutAnswer>(`/v1/rollouts/${rollout.id}/pause`, {});
    expect(paused).toMatchObject({
      state: 'paused',
      pause: { cause: 'operator', sentence: expect.stringContaining('paused it') },
    });
    for (const [held, total] of [
      ['skip', 1],
      ['wait', DEVICES],
    ] as const) {
      const body = { name: 'next', dryRun: true, kind: 'backup', selector: 'name:router-*', policy: { held } };
      const plan = await operator.post<object>('/v1/rollouts', body);
      expect(plan).toMatchObject({ total, heldBy: [{ rolloutId: rollout.id, name: 'test', devices: DEVICES - 1 }] });
    }
    await operator.post(`/v1/rollouts/${rollout.id}/waves/1/promote`, {});
    await operator.post(`/v1/rollouts/${rollout.id}/devices/${await waitingDevice(rollout.id)}/skip`, {});
    await operator.post(`/v1/rollouts/${rollout.id}/abort`, {});
    const aborted = await untilRollout(operator, rollout.id, 'aborted');
    expect(aborted.counts).toMatchObject({ succeeded: 1, skipped: 1, cancelled: DEVICES - 2 });
    const after = backups();
    expect(after.reduce((sum, count) => sum + count, 0) - before.reduce((sum, count) => sum + count, 0)).toBe(1);
  });

  it('pause after a canary without a success, go on when a person resumes, and end after a wave that the plan left empty', async () => {
    const rollout = await createRollout(operator, {
      kind: 'backup',
      selector: 'name:router-1* | name:without-account',
      policy: { waves: [{ take: { count: 1 }, gate: 'manual' }, { take: 'rest' }, { take: { tag: 'of-no-device' } }] },
    });
    await operator.post(`/v1/rollouts/${rollout.id}/devices/${await waitingDevice(rollout.id)}/skip`, {});
    await operator.post(`/v1/rollouts/${rollout.id}/waves/0/promote`, {});
    const paused = await untilRollout(operator, rollout.id, 'paused');
    expect(paused).toMatchObject({
      pause: {
        cause: 'wave_failed',
        sentence: 'Wave 1 ended and none of its 1 devices succeeded: 1 skipped (operator).',
      },
      counts: { succeeded: 0, skipped: 2 },
      waves: [{ state: 'failed' }, { state: 'waiting' }, { state: 'waiting' }],
    });
    await operator.post(`/v1/rollouts/${rollout.id}/retry-failed`, { states: ['unknown'] });
    await untilRollout(operator, rollout.id, 'paused');
    await operator.post(`/v1/rollouts/${rollout.id}/resume`, {});
    const done = await untilRollout(operator, rollout.id, 'finished');
    expect(done.waves!.map(({ state }) => state)).toEqual(['accepted', 'passed', 'passed']);
    expect(done.counts).toMatchObject({ skipped: 2, waiting: 0 });
  });

  async function waitingDevice(rolloutId: string): Promise<string> {
    const { items } = await operator.get<{ items: { deviceId: string }[] }>(
      `/v1/rollouts/${rolloutId}/devices?state=waiting`,
    );
    return items[0]!.deviceId;
  }

  it.each([
    ['a kind that there is not', { kind: 'nonsense' }, 'invalid_input'],
    ['a spec that the kind refuses', { spec: { nonsense: 1 } }, 'invalid_input'],
    ['a place that names nothing', { spec: { x: '{{device.password}}' } }, 'invalid_input'],
    ['a selector that cannot be read', { selector: 'tag:' }, 'invalid_selector'],
    ['a selector that names nobody', { selector: 'name:nobody' }, 'rollout_is_empty'],
    ['a window that does not open', { policy: { windows: [{ from: '25:00', to: '01:00' }] } }, 'invalid_input'],
    ['a zone that there is not', { policy: { timeZone: 'Europe/Vilnus' } }, 'invalid_input'],
  ])('refuse %s', async (_words, part, code) => {
    const { items: before } = await operator.get<{ items: unknown[] }>('/v1/rollouts');
    await expect(
      operator.post('/v1/rollouts', { name: 'wrong', kind: 'backup', selector: 'name:router-*', ...part }),
    ).rejects.toMatchObject({ code });
    expect((await operator.get<{ items: unknown[] }>('/v1/rollouts')).items).toHaveLength(before.length);
  });

  let strange = 1;

  it('report as JSON, as a table with a line for each device, and as a page that holds no markup of others', async () => {
    const [name, site] = [`<b>=1+${++strange}`, `strange-${strange}`];
    await operator.post('/v1/devices', { name, baseUrl: `https://192.0.2.${strange}`, site });
    const { id } = await createRollout(operator, {
      name: 'report & <script>alert(1)</script>',
      kind: 'backup',
      selector: `name:router-1* | site:${site}`,
      policy: { waves: [{ take: 'rest' }] },
    });
    const { total } = await untilRollout(operator, id, 'finished');
    const report = await operator.get(`/v1/rollouts/${id}/report`);
    expect(report).toMatchObject({
      state: 'finished',
      total,
      causes: [{ state: 'skipped', reason: 'device_has_no_credentials', count: 1, devices: [name] }],
      needsPerson: [],
      times: { totalSeconds: expect.any(Number), perDevice: { p50: expect.any(Number) } },
    });
    const csv = (await operator.bytes(`/v1/rollouts/${id}/report?format=csv`)).toString('utf8');
    const lines = csv.trim().split('\n');
    expect(lines).toHaveLength(total + 1);
    expect(lines[0]).toMatch(/^device,device_id,wave,state,reason/);
    const page = (await operator.bytes(`/v1/rollouts/${id}/report?format=html`)).toString('utf8');
    expect(page).toContain('report &amp; &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(page).not.toMatch(/<script|<b>/);
    expect(page).toMatch(/<h2>Devices<\/h2>.*No credentials are stored for this device/s);
    if (process.env['TEST_KEEP_REPORT']) await writeFile(process.env['TEST_KEEP_REPORT'], page);
  });

  it('can be followed live, from how they stand to their end', async () => {
    const { id } = await createRollout(operator, {
      kind: 'backup',
      selector: 'name:router-*',
      policy: { waves: [{ take: { count: 1 } }, { take: 'rest' }] },
    });
    const stream = (await operator.bytes(`/v1/rollouts/${id}/live`)).toString('utf8');
    const looks = stream
      .split('\n\n')
      .filter((event) => event.startsWith('event: rollout'))
      .map((event) => JSON.parse(event.split('data: ')[1]!) as RolloutAnswer);
    expect(looks.length).toBeGreaterThan(1);
    expect(looks.at(-1)).toMatchObject({ state: 'finished', counts: { succeeded: DEVICES } });
    for (const { counts, total } of looks) expect(Object.values(counts).reduce((sum, n) => sum + n, 0)).toBe(total);
  });

  /** Locks that are in force; a test that fails in the middle must not stop the ones after it. */
  const lifts = new Set<string>();
  const lift = async (id: string) => {
    lifts.delete(id);
    await test.api.send('DELETE', `/v1/locks/${id}`);
  };
  afterEach(async () => {
    for (const id of lifts) await lift(id);
  });

  it('pause when all writes are locked, leave locked devices alone, and go on when a person lets them', async () => {
    const lock = (body: object) => test.api.post<{ id: string }>('/v1/locks', { reason: 'incident 7', ...body });
    const { id: deviceLock } = await lock({ kind: 'device', target: ids[3] });
    lifts.add(deviceLock);
    const rollout = await createRollout(operator, {
      kind: 'backup',
      selector: 'name:router-*',
      policy: { waves: [{ take: 'rest', gate: 'manual' }] },
    });
    const { id: writes } = await lock({ kind: 'writes' });
    lifts.add(writes);
    const paused = await untilRollout(operator, rollout.id, 'paused');
    expect(paused.pause).toEqual({ cause: 'locked', sentence: expect.stringContaining('all writes: incident 7') });
    expect(paused.counts).toMatchObject({ waiting: DEVICES });
    await lift(writes);
    await operator.post(`/v1/rollouts/${rollout.id}/waves/0/promote`, {});
    await operator.post(`/v1/rollouts/${rollout.id}/resume`, {});
    const going = await untilRollout(
      operator,
      rollout.id,
      'running',
      undefined,
      ({ counts }) => counts['succeeded'] === DEVICES - 1,
    );
    expect(going.counts).toMatchObject({ waiting: 1 });
    const waiting = await operator.get<{ items: object[] }>(`/v1/rollouts/${rollout.id}/devices?state=waiting`);
    expect(waiting.items).toEqual([expect.objectContaining({ deviceId: ids[3], reason: 'locked', jobId: null })]);
    await lift(deviceLock);
    await operator.post(`/v1/rollouts/${rollout.id}/abort`, {});
    await untilRollout(operator, rollout.id, 'aborted');
  });

  it('pause when the key of their author is locked, and not when another key of theirs is', async () => {
    const author = await addPerson(test, 'Yara', [{ role: 'operator' }]);
    const other = await addKey(test, author.operatorId, {});
    const policy = { waves: [{ take: 'rest', gate: 'manual' }], held: 'wait' };
    const body = { kind: 'backup', selector: 'name:router-1', policy };
    const lock = (keyId: string) =>
      test.api.post<{ id: string }>('/v1/locks', { kind: 'key', target: keyId, reason: 'lost laptop' });
    const spared = await createRollout(other.api, body);
    const { id } = await createRollout(author.api, body);
    const { id: keyLock } = await lock(author.keyId);
    lifts.add(keyLock);
    const { pause } = await untilRollout(operator, id, 'paused');
    expect(pause).toEqual({ cause: 'locked', sentence: expect.stringContaining('its author: lost laptop') });
    expect(await operator.get<RolloutAnswer>(`/v1/rollouts/${spared.id}`)).toMatchObject({ state: 'running' });
    await lift(keyLock);
    for (const one of [id, spared.id]) await operator.post(`/v1/rollouts/${one}/abort`, {});
    await Promise.all([id, spared.id].map((one) => untilRollout(operator, one, 'aborted')));
  });

  it('leave out a device that a person gave another address since the plan, unless they follow their selector', async () => {
    const { baseUrl, username, password } = fleet.devices[4]!;
    const change = (address: string) =>
      operator.send('PATCH', `/v1/devices/${ids[4]}`, { baseUrl: address, credentials: { username, password } });
    const policy = { waves: [{ take: 'rest', gate: 'manual' }], held: 'wait' };
    const body = { kind: 'backup', selector: 'name:router-4', policy };
    const frozen = await createRollout(operator, body);
    const following = await createRollout(operator, { ...body, policy: { ...policy, membership: 'following' } });
    await change('https://192.0.2.4');
    await change(baseUrl); // an address that was another one for a while may be known to others
    const before = backups()[4];
    await operator.post(`/v1/rollouts/${frozen.id}/waves/0/promote`, {});
    const devices = () => operator.get<{ items: object[] }>(`/v1/rollouts/${frozen.id}/devices`);
    await untilRollout(operator, frozen.id, 'running', undefined, ({ counts }) => counts['skipped'] === 1).catch(
      () => 0,
    );
    expect((await devices()).items).toEqual([expect.objectContaining({ state: 'skipped', reason: 'device_replaced' })]);
    expect(backups()[4]).toBe(before);
    await operator.post(`/v1/rollouts/${following.id}/waves/0/promote`, {});
    const done = await untilRollout(operator, following.id, 'running', undefined, isDone).catch(() => null);
    const { counts } = done ?? (await operator.get<RolloutAnswer>(`/v1/rollouts/${following.id}`));
    expect(counts).toMatchObject({ succeeded: 1 });
    expect(backups()[4]).toBe(before! + 1);
    await operator.post(`/v1/rollouts/${following.id}/abort`, {}).catch(() => undefined);
  });

  it('are found by a part of their name, by their kind and by who made them', async () => {
    const named = (query: string) =>
      operator.get<{ items: { readonly name: string; readonly kind: string }[] }>(`/v1/rollouts?limit=1&${query}`);
    const [first] = (await named('')).items;
    const all = new URLSearchParams({ name: first!.name.slice(1).toUpperCase(), kind: first!.kind });
    expect((await named(all.toString())).items).toMatchObject([{ kind: first!.kind }]);
    for (const none of ['name=of-nobody', 'kind=of-nothing', 'createdBy=a%25b'])
      expect((await named(none)).items).toEqual([]);
  });

  it('are found by a job that they started', async () => {
    const { items } = await operator.get<{ items: RolloutAnswer[] }>('/v1/rollouts?state=finished');
    const [{ id }] = items as [RolloutAnswer];
    const targets = await operator.get<{ items: { readonly jobId: string | null }[] }>(`/v1/rollouts/${id}/devices`);
    const [jobId] = targets.items.flatMap((one) => one.jobId ?? []);
    expect(await operator.get(`/v1/rollouts?job=${jobId}`)).toMatchObject({ items: [{ id }], next: null });
    expect(await operator.get(`/v1/rollouts?job=${id}`)).toMatchObject({ items: [] });
  });

  it('say in which state they are when something cannot be done in it', async () => {
    const { items } = await operator.get<{ items: RolloutAnswer[] }>('/v1/rollouts?state=finished');
    await expect(operator.post(`/v1/rollouts/${items[0]!.id}/pause`, {})).rejects.toMatchObject({
      code: 'rollout_wrong_state',
      problem: { state: 'finished', possibleIn: ['scheduled', 'running'] },
    });
  });
});
