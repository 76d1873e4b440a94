import { z } from 'zod';
import { expectedDigest, selectorText } from '../../devices/devices.contract.js';
import { instant } from '../../http/endpoint.js';
import { pageOf, pageQuery } from '../../http/page.js';
import { givenInstant, nameSuchAs, textSuchAs } from '../../http/schemas.js';
import { rolloutPolicy } from './rollout-policy.js';
import { ROLLOUT_STATES, TARGET_STATES, WAVE_STATES } from './rollout-state.js';

/* Schemas of the routes of rollouts. */

const later = givenInstant.describe('Not before this instant');

export const rolloutInput = z
  .strictObject({
    name: nameSuchAs('June firmware'),
    kind: z
      .string()
      .regex(/^[a-z][a-z_]{0,39}$/, 'the name of a kind of job, such as firmware')
      .describe('The kind of job for each device')
      .meta({ examples: ['firmware'] }),
    spec: z
      .record(z.string(), z.unknown())
      .default({})
      .describe(
        'Its parameters, as for a single job; `{{device.site}}`, `{{field.vlan}}` and similar are replaced by values of each device',
      )
      .meta({ examples: [{ source: 'vendor' }] }),
    selector: selectorText.meta({ examples: ['tag:pump & firmware<7.14'] }),
    expectedDigest: expectedDigest.optional(),
    policy: rolloutPolicy.prefault({}),
    startsAt: later.optional(),
    dryRun: z.boolean().default(false).describe('Only report what it would do'),
  })
  .meta({ id: 'CreateRollout' });
export type RolloutInput = z.output<typeof rolloutInput>;

export const approveInput = z
  .strictObject({
    planDigest: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('The digest of the plan that you have read')
      .meta({ examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'] }),
  })
  .meta({ id: 'ApproveRollout' });
export type ApproveInput = z.output<typeof approveInput>;

export const retryInput = z
  .strictObject({
    states: z
      .array(z.enum(['failed', 'unknown', 'skipped', 'cancelled']))
      .min(1)
      .default(['failed'])
      .describe('Which targets to retry'),
  })
  .meta({ id: 'RetryRollout' });
export type RetryInput = z.output<typeof retryInput>;

export const rollBackInput = z
  .strictObject({ dryRun: z.boolean().default(false).describe('Only report what it would do') })
  .meta({ id: 'RollBackRollout' });
export type RollBackInput = z.output<typeof rollBackInput>;

const countsView = z
  .object(
    Object.fromEntries(TARGET_STATES.map((state) => [state, z.number().int()])) as Record<
      (typeof TARGET_STATES)[number],
      z.ZodNumber
    >,
  )
  .meta({ id: 'TargetCounts' });

const planView = z
  .object({
    digest: z.string(),
    total: z.number().int().describe('Devices that take part'),
    offline: z.number().int().describe('How many of them are offline now'),
    ready: z.number().int().describe('How many of them can start now, as far as is known'),
    notReady: z
      .array(
        z.object({
          reason: z.string().describe('Such as `backup_missing`, `image_is_older`, `locked`, `no_window`'),
          devices: z.number().int(),
          first: z.array(z.string()).describe('Names of the first ten'),
        }),
      )
      .describe(
        'Why the others would not: the jobs would end with this code, or the devices are waited for. They stay in the plan, ' +
          'since it can be mended before the start. A device counts for each of its reasons',
      ),
    waves: z.array(
      z.object({
        name: z.string(),
        total: z.number().int(),
        first: z.array(z.string()).describe('Names of the first ten'),
      }),
    ),
    skipped: z
      .array(z.object({ deviceId: z.uuid(), name: z.string(), reason: z.string() }))
      .describe('The first 1,000'),
    skippedTotal: z.number().int(),
    heldBy: z
      .array(z.object({ rolloutId: z.uuid(), name: z.string(), devices: z.number().int() }))
      .describe('Other open rollouts that have devices of this one, and how many'),
    firmware: z
      .array(
        z.object({
          model: z.string().nullable(),
          firmware: z.string().nullable().describe('What they run now'),
          devices: z.number().int(),
          vendor: z
            .object({ version: z.string(), at: instant })
            .nullable()
            .describe(
              'The newest version of the vendor, as a device of this model was last offered it; null: not seen',
            ),
        }),
      )
      .describe('The devices that take part by model and version, for a rollout of the kind `firmware`; else empty'),
    needsApproval: z.boolean(),
    bytesPerStart: z.number().describe('Bytes of the artifacts that each start sends to its device'),
    estimate: z
      .object({ beginsAt: instant, endsAt: instant })
      .nullable()
      .describe('At the earliest; null: no window opens, or it takes more than three years'),
  })
  .meta({ id: 'RolloutPlan' });
export type PlanView = z.input<typeof planView>;

export const shownSelector = z
  .string()
  .nullable()
  .describe('null: it names devices, and you may see only some devices')
  .meta({ examples: ['tag:pump & firmware<7.14'] });

const waveView = z
  .object({
    ordinal: z.number().int(),
    name: z.string(),
    state: z.enum(WAVE_STATES),
    gate: z.enum(['auto', 'manual']),
    promoted: z.boolean(),
    soakUntil: instant.nullable(),
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    counts: countsView,
  })
  .meta({ id: 'RolloutWave' });

export const rolloutView = z
  .object({
    id: z.uuid(),
    name: textSuchAs('June firmware'),
    kind: textSuchAs('firmware'),
    spec: z.unknown().meta({ examples: [{ source: 'vendor' }] }),
    selector: shownSelector,
    policy: rolloutPolicy.describe('Secrets that checks compare are shown as fingerprints'),
    state: z.enum(ROLLOUT_STATES),
    pause: z.object({ cause: z.string(), sentence: z.string() }).nullable(),
    planDigest: textSuchAs('9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'),
    scheduleId: z.uuid().nullable(),
    rollsBack: z.uuid().nullable().describe('The rollout that this one rolls back'),
    createdBy: z.string(),
    createdByName: z.string(),
    approvedByName: z.string().nullable(),
    createdAt: instant,
    startsAt: instant.nullable(),
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    total: z.number().int(),
    counts: countsView.describe('Counts of the devices that you see; they always add up to the total'),
  })
  .meta({ id: 'Rollout' });

export const rolloutWithWavesView = z
  .object({ ...rolloutView.shape, waves: z.array(waveView) })
  .meta({ id: 'RolloutWithWaves' });

/** A rollout, or with `dryRun` its plan. */
export const createdView = z.union([rolloutView, planView]).meta({ id: 'MadeRollout' });

export const listRolloutsQuery = z.strictObject({
  ...pageQuery.shape,
  state: z.enum(ROLLOUT_STATES).optional(),
  kind: z.string().max(40).optional().describe('Only rollouts of this kind of job'),
  name: z.string().max(80).optional().describe('Only rollouts whose name has this text'),
  createdBy: z.string().max(80).optional().describe('Only rollouts whose creator’s name has this text'),
  artifact: z.uuid().optional().describe('Only rollouts whose parameters name this artifact'),
  job: z.uuid().optional().describe('Only the rollout that started this job'),
});
export type ListRolloutsQuery = z.output<typeof listRolloutsQuery>;

export const rolloutPage = pageOf(rolloutView).meta({ id: 'RolloutPage' });

export const listTargetsQuery = z.strictObject({
  ...pageQuery.shape,
  state: z.enum(TARGET_STATES).optional(),
  wave: z.coerce.number().int().min(0).max(100).optional(),
});
export type ListTargetsQuery = z.output<typeof listTargetsQuery>;

const targetView = z
  .object({
    deviceId: z.uuid(),
    deviceName: z.string(),
    wave: z.number().int(),
    state: z.enum(TARGET_STATES),
    reason: z.string().nullable().describe('Why it waits, or how it ended'),
    wakeAt: instant,
    tries: z.number().int(),
    jobId: z.uuid().nullable(),
    beganAt: instant.nullable(),
    endedAt: instant.nullable(),
  })
  .meta({ id: 'RolloutTarget' });

export const targetPage = pageOf(targetView).meta({ id: 'RolloutTargetPage' });

export const reportQuery = z.strictObject({ format: z.enum(['json', 'csv', 'html']).default('json') });
export type ReportQuery = z.output<typeof reportQuery>;

const seconds = z.number().describe('In seconds');

export const reportView = z
  .object({
    ...rolloutWithWavesView.omit({ spec: true, policy: true }).shape,
    reason: z.string().nullable(),
    madeAt: instant,
    times: z.object({
      totalSeconds: seconds.nullable(),
      perDevice: z.object({ p50: seconds, p90: seconds, max: seconds }).nullable(),
    }),
    causes: z
      .array(
        z.object({
          state: z.string(),
          reason: z.string().nullable(),
          count: z.number().int(),
          devices: z.array(z.string()),
        }),
      )
      .describe('Devices that did not succeed, by result; the largest group first'),
    needsPerson: z.array(
      z.object({ deviceId: z.uuid(), name: z.string(), state: z.string(), reason: z.string().nullable() }),
    ),
  })
  .meta({ id: 'RolloutReport' });

/** The data of the events of a rollout's stream. */
export const liveView = rolloutWithWavesView.omit({ spec: true, policy: true }).meta({ id: 'RolloutLive' });

/** The beginning of a report as a table. */
export const REPORT_CSV =
  'device,device_id,wave,state,reason,tries\npump-1,0192f3a1-7c4e-7b1a-9d2e-5f60718293a4,1,succeeded,,1\n';
