import { z } from 'zod';
import { instantText } from '../../http/schemas.js';
import { timeZone } from '../../platform/time-zone.js';
import { maintenanceWindow } from './maintenance-window.js';

/*
 * The policy of a rollout. Every field has a careful default: a canary, few devices at a time, and a stop at failures.
 * Pure: schema and the arithmetic of shares.
 */

const percent = z.number().min(0).max(100);

/** Which of the remaining devices a wave takes. */
const take = z
  .union([
    z.strictObject({ count: z.int().min(1).max(100_000) }).describe('So many'),
    z.strictObject({ percent: percent.gt(0) }).describe('This share of all devices of the rollout, rounded up'),
    z.strictObject({ tag: z.string().min(1).max(60) }).describe('Those with this tag'),
    z
      .strictObject({ site: z.string().min(1).max(120) })
      .describe('Those at this site; `vilnius/*` matches all below it'),
    z.literal('rest'),
  ])
  .meta({ id: 'WaveTake' });
const wavePolicy = z
  .strictObject({
    name: z.string().min(1).max(60).optional(),
    take,
    gate: z.enum(['auto', 'manual']).default('auto').describe('`manual`: starts when a person promotes it'),
    successPercent: percent
      .default(95)
      .describe('Share of its devices that must have succeeded to continue; at least one device'),
    soakMinutes: z
      .number()
      .min(0)
      .max(20_160)
      .default(0)
      .describe('How long the gateway waits after the wave, before its checks and the next wave'),
  })
  .meta({ id: 'WavePolicy' });
export type WavePolicy = z.output<typeof wavePolicy>;

/** A check of a device that must pass after the soak. */
const check = z
  .discriminatedUnion('check', [
    z.strictObject({ check: z.literal('reachable') }),
    z.strictObject({ check: z.literal('firmware'), is: z.string().min(1).max(60) }),
    z.strictObject({
      check: z.literal('call'),
      path: z
        .string()
        .max(500)
        .describe('Canonical device path, from /api/ on; it is read with the rights of the author'),
      match: z.record(z.string(), z.unknown()).describe('What the `data` of the answer must contain'),
    }),
  ])
  .meta({ id: 'HealthCheck' });
export type HealthCheck = z.output<typeof check>;
export type CallCheck = Extract<HealthCheck, { check: 'call' }>;

const DEFAULT_WAVES = [
  { name: 'canary', take: { count: 1 }, successPercent: 100 },
  { name: 'early', take: { percent: 10 } },
  { name: 'rest', take: 'rest' as const },
];

const stopRule = z
  .strictObject({
    failures: z.int().min(1).max(100_000).optional().describe('This number of failed devices'),
    percent: percent.gt(0).optional().describe('This share of the finished devices'),
    minimum: z.int().min(1).max(100_000).default(5).describe('The share applies from this number of finished devices'),
  })
  .refine(({ failures, percent: share }) => failures !== undefined || share !== undefined, {
    message: 'give `failures` or `percent`, or "never" instead of an object',
  })
  .meta({ id: 'RolloutStop' });

export const rolloutPolicy = z
  .strictObject({
    waves: z.array(wavePolicy).min(1).max(50).prefault(DEFAULT_WAVES).describe('The first is the canary'),
    checks: z
      .array(check)
      .max(10)
      .default([])
      .describe('Health checks of the succeeded devices of a wave after its soak; later successes are not checked'),
    stop: z
      .union([stopRule, z.literal('never')])
      .prefault({ percent: 10 })
      .describe('When the rollout pauses automatically; `never`: failures do not pause it'),
    concurrency: z.int().min(1).max(10_000).default(50).describe('Devices that run at the same time'),
    perSite: z.int().min(1).max(10_000).optional().describe('Devices of one site that run at the same time'),
    perMinute: z
      .number()
      .gt(0)
      .max(100_000)
      .optional()
      .describe('Devices started per minute; 0.5 is one every two minutes'),
    bytesPerSecond: z
      .int()
      .min(1)
      .optional()
      .describe('The average bandwidth of all uploads together; at least one device may start each minute'),
    windows: z.array(maintenanceWindow).max(20).default([]).describe('Absent: at any time'),
    timeZone: timeZone.default('UTC').describe('For devices without their own'),
    expectedMinutes: z
      .number()
      .min(0)
      .max(1_440)
      .default(15)
      .describe(
        'The longest expected time for one device, not a limit: it starts only when this much of its window is left',
      ),
    offline: z
      .strictObject({
        action: z.enum(['wait', 'skip']).default('wait'),
        waitHours: z.number().gt(0).max(2_160).default(72).describe('After this time the device is skipped'),
      })
      .prefault({}),
    held: z
      .enum(['skip', 'wait'])
      .default('skip')
      .describe('Devices that another rollout has: skip them when this one is planned, or wait for them'),
    retries: z.int().min(0).max(10).default(1).describe('Retries of a device with a retryable failure'),
    membership: z
      .enum(['frozen', 'following'])
      .default('frozen')
      .describe(
        '`following`: devices that come to match the selector join the last wave; those that leave are skipped',
      ),
    endsAt: instantText.optional().describe('No device starts after this; the rest is cancelled'),
  })
  .meta({ id: 'RolloutPolicy' });
export type RolloutPolicy = z.output<typeof rolloutPolicy>;

/** What a plan needs to know of a device, in the order in which devices are taken. */
export interface Candidate {
  readonly deviceId: string;
  readonly tags: readonly string[];
  readonly site: string;
  /** It is offline or locked, and would only wait. */
  readonly isAway?: boolean;
}

/**
 * Distributes devices over waves. Devices that no wave takes go into one more wave at the end. A first wave that takes a number
 * or a share takes devices that answer before those that are away: a canary that only waits would hold all waves behind it.
 * @param candidates in the order in which they are taken
 * @returns for each wave the ids of its devices; a wave may be empty
 */
export function assignWaves(candidates: readonly Candidate[], waves: readonly WavePolicy[]): string[][] {
  let left = [...candidates];
  const assigned = waves.map(({ take: rule }, ordinal) => {
    const inOrder = ordinal === 0 && rule !== 'rest' ? presentFirst(left) : left;
    const taken = new Set(chosen(inOrder, rule, candidates.length).map(({ deviceId }) => deviceId));
    left = left.filter(({ deviceId }) => !taken.has(deviceId));
    return [...taken];
  });
  return left.length > 0 ? [...assigned, left.map(({ deviceId }) => deviceId)] : assigned;
}

const presentFirst = (left: readonly Candidate[]): readonly Candidate[] => [
  ...left.filter(({ isAway }) => !isAway),
  ...left.filter(({ isAway }) => isAway),
];

function chosen(left: readonly Candidate[], rule: z.output<typeof take>, total: number): readonly Candidate[] {
  if (rule === 'rest') return left;
  if ('count' in rule) return left.slice(0, rule.count);
  if ('percent' in rule) return left.slice(0, Math.ceil((total * rule.percent) / 100));
  if ('tag' in rule) return left.filter(({ tags }) => tags.includes(rule.tag));
  return left.filter(({ site }) => isAt(site, rule.site));
}

function isAt(site: string, wanted: string): boolean {
  if (!wanted.endsWith('/*')) return site === wanted;
  const above = wanted.slice(0, -2);
  return site === above || site.startsWith(`${above}/`);
}

/** The rules of a wave. The extra wave for the remaining devices has those of the last one. */
export function waveRules(policy: RolloutPolicy, ordinal: number): WavePolicy {
  return policy.waves[ordinal] ?? { ...policy.waves.at(-1)!, name: 'left over', take: 'rest' };
}

/** A pace is no slower: an instant before now by more may be none of the calendar. */
const YEAR_MS = 365 * 86_400_000;

/**
 * So many targets may start in each such time, by the pace and the bandwidth of a policy. A whole number of them: 0.4 a minute is one
 * in 150 seconds. By the bandwidth at least one may start each minute.
 * @param bytesPerStart that each sends to a device; 0 when the kind uploads nothing
 */
export function paceOf(policy: RolloutPolicy, bytesPerStart: number): { starts: number; withinMs: number } {
  const byBandwidth =
    bytesPerStart > 0 && policy.bytesPerSecond !== undefined
      ? Math.max(1, (policy.bytesPerSecond * 60) / bytesPerStart)
      : Number.POSITIVE_INFINITY;
  const perMinute = Math.min(policy.perMinute ?? Number.POSITIVE_INFINITY, byBandwidth);
  const starts = Math.ceil(perMinute);
  return {
    starts,
    withinMs: starts === Number.POSITIVE_INFINITY ? 0 : Math.min((starts / perMinute) * 60_000, YEAR_MS),
  };
}
