import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Artifact } from '../../../src/artifacts/artifact.entity.js';
import {
  DEFAULT_FIRMWARE,
  FAMILIES,
  NEWEST_VENDOR_FIRMWARE,
  apiVersionOf,
  firmwareName,
} from '../../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { itNightly } from '../../support/forms.js';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';

const NEW = firmwareName(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE);

/* What the registry shows of a device after a job that upgrades its firmware, and a model with fewer services. */

interface DeviceView {
  readonly firmware: string | null;
  readonly apiVersion: string | null;
}

let world: KindWorld;
let image: Artifact;
beforeAll(async () => {
  world = await startKindWorld({
    devices: 3,
    family: 'RUTX50',
    profile: 'rutos',
    groups: [{ devices: 1, family: 'TRB500', profile: 'rutos' }],
  });
  image = await world.keep(makeFirmwareImage(FAMILIES.RUTX50, NEWEST_VENDOR_FIRMWARE, 64 * 1024), { kind: 'firmware' });
});
afterAll(() => world.close());

const view = (index: number) => world.gateway.api.get<DeviceView>(`/v1/devices/${world.ids[index]}`);
/** A status check learns the version of the API, which a login does not show. */
const check = (index: number) => world.gateway.api.post(`/v1/devices/${world.ids[index]}/check`);
const upgrade = async (index: number) =>
  world.ended(await world.start(index, 'firmware', { artifactId: image.id, backup: 'skip' }));

describe('the registry after an upgrade', () => {
  it('shows the firmware and the version of the API that the device has now', async () => {
    await check(0);
    expect(await upgrade(0)).toMatchObject({ outcome: 'succeeded', failure: null });
    expect(await view(0)).toMatchObject({ firmware: NEW, apiVersion: apiVersionOf(NEW) });
    const { items } = await world.gateway.api.get<{ items: { field: string; before: string; after: string }[] }>(
      `/v1/devices/${world.ids[0]}/history`,
    );
    expect(items).toContainEqual(
      expect.objectContaining({
        field: 'api_version',
        before: apiVersionOf(DEFAULT_FIRMWARE),
        after: apiVersionOf(NEW),
      }),
    );
  });

  itNightly('shows them also where the device came back with another version than the wanted one', async () => {
    const device = world.fleet.devices[1]!;
    const flash = device.flash.bind(device);
    vi.spyOn(device, 'flash').mockImplementation((_version, ...rest) => flash('RUTX_R_00.07.21.0', ...rest));
    expect(await upgrade(1)).toMatchObject({ outcome: 'failed', failure: { code: 'came_back_other' } });
    expect(await view(1)).toMatchObject({ firmware: 'RUTX_R_00.07.21.0', apiVersion: '1.13.0' });
  });

  it('shows the firmware of a device that runs the wanted version already', async () => {
    world.fleet.devices[2]!.firmware.version = NEW;
    await check(2);
    expect(await upgrade(2)).toMatchObject({ outcome: 'succeeded', failure: null, result: { changed: false } });
    expect(await view(2)).toMatchObject({ firmware: NEW, apiVersion: apiVersionOf(NEW) });
  });
});

it('a model without radios is upgraded: it answers 501 to reads of them', async () => {
  const bytes = makeFirmwareImage(FAMILIES.TRB500, NEWEST_VENDOR_FIRMWARE, 64 * 1024);
  const { id: artifactId } = await world.keep(bytes, { kind: 'firmware' });
  const job = await world.ended(await world.start(3, 'firmware', { artifactId, backup: 'skip' }));
  expect(job).toMatchObject({ outcome: 'succeeded', failure: null });
});
