import { type components } from '../../../../src/api-client/api-client.js';
import { countText, numberText } from '../../api/amount-text.js';

/* How devices compare with templates, in words. Pure. */

type Schemas = components['schemas'];
type Tone = 'set' | 'busy' | 'warn' | 'bad' | 'plain';

export type SyncState = Schemas['DeviceTemplateState']['state'];
export type Sync = Schemas['Template']['sync'];

/** What differs is first, as the open ones are what a person closes. */
export const SYNC_STATES: readonly SyncState[] = [
  'in_sync',
  'pending',
  'drifted',
  'both',
  'suspended',
  'unread',
  'left_out',
];

/** A job or a rollout closes these. */
export const OPEN_STATES = ['pending', 'drifted', 'both'] as const;
export type OpenState = (typeof OPEN_STATES)[number];

export const SYNC_WORDS: Readonly<Record<SyncState, readonly [tone: Tone, text: string, about: string]>> = {
  in_sync: ['set', 'In sync', 'It has what the template says'],
  pending: ['busy', 'Pending', 'It differs, and the published version was never applied to it'],
  drifted: ['warn', 'Drifted', 'It had the published version, and was changed on the router since'],
  both: [
    'warn',
    'Drifted and pending',
    'It was changed on the router since an earlier version, and the published one was never applied to it',
  ],
  suspended: ['bad', 'Suspended', 'One option was put back too often: something else sets it, too'],
  unread: ['plain', 'Not read', 'No watch has read a path of the template'],
  left_out: ['plain', 'Left out', 'It cannot be compared'],
};

export const syncText = (state: SyncState): string => SYNC_WORDS[state][1];

/** What closes the difference of one device: what was never applied is not put back. For more devices a rollout is planned. */
export const closeText = (state: SyncState): string => (state === 'pending' ? 'Apply' : 'Put back');

/** The same with its object: `Apply base to pump-1`, `Put pump-1 back to base`. */
export const closeTitle = (state: SyncState, template: string, device: string): string =>
  state === 'pending' ? `Apply ${template} to ${device}` : `Put ${device} back to ${template}`;

/** The one act that sets many devices to a template. */
export const PLAN = 'Plan a rollout';

export const planTitle = (devices: number): string => `${PLAN} to ${countText(devices, 'device')}`;

/** How many of the devices are in states. */
export const countOf = (sync: Sync, states: readonly SyncState[] = SYNC_STATES): number =>
  states.reduce((sum, state) => sum + (sync[state] ?? 0), 0);

/** `188 of 200 in sync, 12 drifted`. */
export function syncSentence(sync: Sync): string {
  const all = countOf(sync);
  if (all === 0) return 'No device is compared so far';
  const others = SYNC_STATES.filter((state) => state !== 'in_sync' && (sync[state] ?? 0) > 0);
  const parts = others.map((state) => `${numberText(sync[state]!)} ${syncText(state).toLowerCase()}`);
  return [`${numberText(sync.in_sync ?? 0)} of ${countText(all, 'device')} in sync`, ...parts].join(', ');
}

const REASONS: Readonly<Record<string, string>> = {
  unread: 'no watch has read it',
  not_there: 'the device has no such service',
  value_missing: 'the device lacks a value of the template',
  key_ambiguous: 'several sections have these fields',
  section_without_id: 'the section has no id on the device',
  id_taken: 'another section has this id',
  spec_invalid: 'the value cannot be set there',
  forbidden: 'you may not read all of it',
  overlap: 'two templates decide the same here',
};

/** Why a device is not compared or planned. */
export const leftOutText = (reason: string): string => REASONS[reason] ?? reason.replaceAll('_', ' ');

/** What a person does about it. */
export const REMEDIES: Readonly<Record<string, string>> = {
  unread: 'Let a watch read it.',
  not_there: 'Leave such devices out of the selector.',
  value_missing: 'Set the custom field of the device.',
  key_ambiguous: 'Name the section by more fields.',
  overlap: 'Leave the option out of one of them, or choose other devices.',
};

/** Which version a device has; of one that is not compared it is not known. */
export function versionText({
  desired,
  observed,
  reason,
}: Pick<Schemas['DeviceTemplateState'], 'desired' | 'observed' | 'reason'>): string {
  if (reason !== null) return '–';
  if (observed === null) return `Differs from version ${desired}`;
  return observed === desired ? `Version ${desired}` : `Version ${observed}, not ${desired}`;
}
