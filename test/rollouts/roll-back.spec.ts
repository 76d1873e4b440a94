import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApi } from '../support/test-api.js';
import { rollbackSpec, type ChangedDeviceFacts, type Image } from '../../src/rollouts/engine/roll-back.js';
import { FAMILIES } from '../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../src/simulator/device/firmware.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { addPerson } from '../support/people.js';
import { createRollout, untilRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';
import { ScaledClock } from '../support/scaled-clock.js';
import { until } from '../support/until.js';

const images: Image[] = [
  { id: 'b', sha256: '2', version: '07.16.3', models: [] },
  { id: 'a', sha256: '1', version: 'RUTX_R_00.07.14.1', models: [] },
];
const target = (some: Partial<ChangedDeviceFacts>): ChangedDeviceFacts => ({
  kind: 'firmware',
  result: null,
  firmwareBefore: 'RUTX_R_00.07.14.1',
  firmwareNow: 'RUTX_R_00.07.17.3',
  changedSince: false,
  ...some,
});

describe('the way back', () => {
  it.each([
    [
      'is the image of the version that ran before',
      target({}),
      { spec: { artifactId: 'a', sha256: '1', allowDowngrade: true, backup: 'skip' } },
    ],
    [
      'is found by the numbers of a version too',
      target({ firmwareBefore: 'RUTX_R_00.07.16.3' }),
      { spec: { artifactId: 'b' } },
    ],
    [
      'is not the image of a version that only ends alike',
      target({ firmwareBefore: 'RUTX_R_00.17.16.3' }),
      { reason: 'no_image_of_firmware_before' },
    ],
    [
      'is the list of changes that a guarded change keeps',
      target({ kind: 'configure', result: { undo: [1] } }),
      { spec: { changes: [1] } },
    ],
    ['spares devices that were changed since', target({ changedSince: true }), { reason: 'changed_since' }],
    [
      'is not needed where nothing was changed',
      target({ firmwareNow: 'RUTX_R_00.07.14.1' }),
      { reason: 'nothing_to_undo' },
    ],
    [
      'is unknown where it is not known what ran',
      target({ firmwareBefore: null }),
      { reason: 'firmware_before_unknown' },
    ],
    ['does not exist for other kinds', target({ kind: 'reboot' }), { reason: 'kind_has_no_way_back' }],
  ])('%s', (_words, from, expected) => {
    expect(rollbackSpec(from, images)).toMatchObject(expected);
  });
});

describe('a rollout of firmware', () => {
  let test: TestGateway;
  let fleet: Fleet;
  let api: TestApi;
  const ids: string[] = [];

  beforeAll(async () => {
    const clock = new ScaledClock(60);
    fleet = await startOwnFleet({ devices: 3, family: 'RUTX50', timeScale: clock.scale, firmware: '07.16.3' });
    test = await startTestGateway({}, clock);
    api = test.api;
    for (const { baseUrl, username, password, index } of fleet.devices) {
      const body = { name: `router-${index}`, baseUrl, credentials: { username, password } };
      ids.push((await api.post<{ id: string }>('/v1/devices', body)).id);
    }
  });
  afterAll(async () => {
    await test.close();
    await fleet.close();
  });

  async function store(version: string): Promise<string> {
    const about = new URLSearchParams({ kind: 'firmware', name: 'image.bin', version });
    const answer = await fetch(`${test.url}/v1/artifacts?${about.toString()}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${test.keys.administrator}`, 'content-type': 'application/octet-stream' },
      body: new Uint8Array(makeFirmwareImage(FAMILIES.RUTX50, version)),
    });
    return ((await answer.json()) as { id: string }).id;
  }
  const versions = () => fleet.devices.map(({ firmware }) => /[\d.]+$/.exec(firmware.version)![0].slice(-7));

  it('is taken back to the image that ran before, but not on a device that was changed since', async () => {
    await store('07.16.3');
    const artifactId = await store('07.17.3');
    const { id } = await createRollout(api, {
      kind: 'firmware',
      spec: { artifactId, backup: 'skip' },
      selector: 'name:router-*',
      policy: { waves: [{ take: 'rest' }] },
    });
    await untilRollout(api, id, 'finished');
    expect(versions()).toEqual(['07.17.3', '07.17.3', '07.17.3']);
    const { id: reboot } = await api.post<{ id: string }>(`/v1/devices/${ids[2]}/jobs`, { kind: 'reboot' });
    await until(async () => (await api.get<{ phase: string }>(`/v1/jobs/${reboot}`)).phase === 'ended');

    const plan = await api.post(`/v1/rollouts/${id}/roll-back`, { dryRun: true });
    expect(plan).toMatchObject({ total: 2, skipped: [{ name: 'router-2', reason: 'changed_since' }] });
    // Whoever sees one device plans for that one, and is not told of the others.
    await api.send('PUT', '/v1/roles/one-router', {
      rules: [
        { effect: 'allow', permissions: ['rollout.*'] },
        { effect: 'allow', permissions: ['device.*', 'job.*'], selector: 'name:router-0' },
        { effect: 'allow', permissions: ['device.read'], selector: 'name:router-1' },
      ],
    });
    const narrow = await addPerson(test, 'Rita', [{ role: 'one-router' }]);
    const seen = await narrow.api.post(`/v1/rollouts/${id}/roll-back`, { dryRun: true });
    expect(seen).toMatchObject({ total: 1, skipped: [{ name: 'router-1', reason: 'forbidden' }] });
    expect(JSON.stringify(seen)).not.toMatch(new RegExp(`router-2|${ids[2]}`));

    const back = await api.post<RolloutAnswer & { rollsBack: string }>(`/v1/rollouts/${id}/roll-back`, {});
    expect(back).toMatchObject({ state: 'draft', rollsBack: id });
    await api.post(`/v1/rollouts/${back.id}/start`, {});
    expect((await untilRollout(api, back.id, 'finished')).counts).toMatchObject({ succeeded: 2, skipped: 1 });
    expect(versions()).toEqual(['07.16.3', '07.16.3', '07.17.3']);
  });

  it('of a kind that cannot be taken back says so', async () => {
    const { id } = await createRollout(api, {
      kind: 'reboot',
      selector: 'name:router-0',
      policy: { waves: [{ take: 'rest' }] },
    });
    await untilRollout(api, id, 'finished');
    await expect(api.post(`/v1/rollouts/${id}/roll-back`, {})).rejects.toMatchObject({
      code: 'rollout_has_no_way_back',
    });
  });
});
