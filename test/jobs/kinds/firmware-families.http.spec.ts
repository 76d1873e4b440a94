import { afterAll, beforeAll, expect, it } from 'vitest';
import { FAMILIES } from '../../../src/simulator/device/families.js';
import { makeFirmwareImage } from '../../../src/simulator/device/firmware.js';
import { startKindWorld, type KindWorld } from '../../support/jobs/kind-world.js';

/* Upgrades of models that do not have each service that the checks read. */

let world: KindWorld;
beforeAll(async () => {
  world = await startKindWorld({ devices: 1, family: 'TRB500', profile: 'rutos' });
});
afterAll(() => world.close());

it('a model without radios is upgraded: it answers 501 to reads of them', async () => {
  const bytes = makeFirmwareImage(FAMILIES.TRB500, '07.17.3', 64 * 1024);
  const { id: artifactId } = await world.keep(bytes, { kind: 'firmware' });
  const ended = await world.ended(await world.start(0, 'firmware', { artifactId, backup: 'skip' }));
  expect(ended).toMatchObject({ outcome: 'succeeded', failure: null });
});
