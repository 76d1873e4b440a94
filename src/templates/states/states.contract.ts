import { z } from 'zod';
import { selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { nameSuchAs } from '../../http/schemas.js';
import { rolloutPolicy } from '../../rollouts/state/rollout-policy.js';
import { SYNC_STATES } from '../../selectors/records.js';
import { OPEN_STATES } from '../desired/sync-state.js';
import { difference } from '../saved/templates.contract.js';

/* Schemas of how devices compare with templates. */

const syncState = z
  .enum(SYNC_STATES)
  .describe(
    '`pending`: the newest version was not applied. `drifted`: the device changed since it was. `both`. `suspended`: an option was ' +
      'put back too often. `unread`: no watch has read a path. `left_out`: see `reason`',
  );

export const statesQuery = z.strictObject({ ...pageQuery.shape, sync: syncState.optional() });
export type StatesQuery = z.output<typeof statesQuery>;

export const rolloutOfTemplate = z
  .strictObject({
    name: nameSuchAs('base, November').optional().describe('Absent: made from the name of the template'),
    states: z
      .array(z.enum(OPEN_STATES))
      .min(1)
      .default([...OPEN_STATES])
      .describe('The devices in these states'),
    policy: rolloutPolicy.prefault({}),
    acceptRisk: z
      .boolean()
      .default(false)
      .describe('Whether changes are allowed that can cut the connection to a device; needs a recent second factor'),
  })
  .meta({ id: 'RolloutOfTemplate' });
export type RolloutOfTemplate = z.output<typeof rolloutOfTemplate>;

export const resumeInput = z
  .strictObject({ selector: selectorText.default('all').describe('Only these of its devices') })
  .meta({ id: 'ResumeTemplate' });

const whole = z.number().int();
const version = whole.nullable();

const state = z
  .object({
    deviceId: z.uuid(),
    device: z.string(),
    template: z.string(),
    state: syncState,
    since: instant,
    reason: z
      .string()
      .nullable()
      .describe(
        'Why it is not compared: `unread`, `overlap`, `value_missing`, `not_there`, `key_ambiguous` and others',
      ),
    detail: z.string().nullable().describe('The path, the fields or the templates of the reason'),
    desired: whole.describe('The version in force'),
    applied: version.describe(
      'The one that the device had completely, but for ignored options, when it was last in sync',
    ),
    observed: version.describe('The one that it has now; null: neither of the two'),
    closedAt: instant.nullable().describe('When a job last closed the difference'),
    differences: z.array(difference).describe('At most 50; secrets are fingerprints, long values are cut'),
    moreDifferences: whole,
  })
  .meta({ id: 'DeviceTemplateState' });

export const resumeView = z
  .object({ devices: whole.describe('Whose suspension ended') })
  .meta({ id: 'TemplateResumed' });

export const deviceStatePage = pageOf(state).meta({ id: 'DeviceTemplateStatePage' });

export const templatesOfDevice = z.object({ items: z.array(state) }).meta({ id: 'TemplatesOfDevice' });
