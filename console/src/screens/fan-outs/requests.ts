import { type components } from '../../../../src/api-client/openapi.js';

type Schemas = components['schemas'];

/* The call of a fan-out in words. */

/** `GET /api/ntp/global`, or the first of several. */
export function requestText(requests: Schemas['StoredFanOut']['requests']): string {
  const [first, ...others] = requests;
  if (!first) return 'no call';
  return `${first.method} ${first.path}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

/** What a new bulk query begins with to ask the same again; null: bodies and several calls are not stored for it. */
export function againSearch({ requests, selector }: Pick<Schemas['StoredFanOut'], 'requests' | 'selector'>) {
  const [first, ...others] = requests;
  if (first?.method !== 'GET' || others.length > 0 || selector === null) return null;
  return { method: first.method, path: first.path, selector };
}

export const OUTCOMES = [
  ['succeeded', 'good', 'Succeeded'],
  ['failed', 'bad', 'Failed'],
  ['unreachable', 'warn', 'Unreachable'],
  ['unknown', 'strange', 'Unknown'],
  ['skipped', 'plain', 'Skipped'],
] as const;

const outcomeOf = (outcome: string) => OUTCOMES.find(([name]) => name === outcome);

export const toneOf = (outcome: string) => outcomeOf(outcome)?.[1] ?? 'plain';

/** An outcome in words. */
export const outcomeText = (outcome: string): string => outcomeOf(outcome)?.[2] ?? outcome;

export const others = (counts: Readonly<Record<string, number>>): number =>
  Object.entries(counts).reduce((sum, [outcome, count]) => (outcome === 'succeeded' ? sum : sum + count), 0);

/** Causes that the line of devices without success names. */
export const CAUSES_SHOWN = 3;

const REASONS: Readonly<Record<string, string>> = {
  forbidden: 'you do not have the permission',
  locked: 'it is locked',
  device_unreachable: 'it did not answer',
  device_refused: 'the device refused it',
  device_busy: 'it was busy',
  device_circuit_open: 'it did not answer several times',
  device_trust_changed: 'another certificate answers',
  device_has_no_credentials: 'no credentials are stored',
  stopped: 'calls were stopped before',
  interrupted: 'the gateway stopped',
};

/** Why a device has its outcome. */
export const whyText = (reason: string | null): string =>
  reason === null ? '' : (REASONS[reason] ?? reason.replaceAll('_', ' '));
