import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROFILES } from '../../src/device-api/contract.js';
import { FAMILY_NAMES } from '../../src/simulator/device/families.js';
import { noteFigures } from '../support/templates/figures.js';
import { casesOf } from '../support/forms.js';
import { startKindWorld, type KindWorld } from '../support/jobs/kind-world.js';
import { setEveryOption } from '../support/templates/every-option.js';

/* Each option of each service, set by a template: what the device has afterwards is what the template says. */

const FAMILIES = casesOf(FAMILY_NAMES, 1, 2);

const groups = FAMILIES.flatMap((family) =>
  casesOf(PROFILES.toReversed(), 1).map((profile) => ({ devices: 1, family, profile })),
);

let world: KindWorld;

beforeAll(async () => {
  const [first, ...others] = groups;
  world = await startKindWorld({ ...first!, groups: others, seed: 29 });
});
afterAll(() => world.close());

it.each(groups.map((group, index) => ({ ...group, index })))(
  'is set on $family with the profile $profile, without a difference',
  { timeout: 300_000 },
  async ({ family, profile, index }) => {
    const { cases, differences, refused } = await setEveryOption(world, index);
    noteFigures('D2', { family, profile, cases, differences: differences.length, refused: refused.length });
    expect(differences).toEqual([]);
    expect(refused).toEqual([]);
    expect(cases).toBeGreaterThan(200);
  },
);
