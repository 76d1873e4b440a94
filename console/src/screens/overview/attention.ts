import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { shownState } from '../../ui/mark.js';
import { plannedText } from '../../ui/action-text.js';

/* What needs a person, worst first: each with its reason and the one action that helps. */

export interface Attention {
  readonly id: string;
  /** Worst first. */
  readonly rank: number;
  readonly state: string;
  readonly what: string;
  /** The device whose name follows `what`. */
  readonly deviceId?: string;
  readonly why: string;
  /** The screen where it is mended. */
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly action: string;
  /** A device's last answer. */
  readonly answeredAt?: string | null;
}

type Device = Pick<Schema<'Device'>, 'id' | 'name' | 'state' | 'stateReason' | 'credentials' | 'seenAt' | 'site'>;

const DEVICE_ACTIONS: Readonly<Record<string, readonly [rank: number, why: string, tab: string, action: string]>> = {
  trust_changed: [2, 'It shows another certificate than before', 'trust', 'Compare certificates'],
  credentials_refused: [3, 'It refuses the stored password', 'sessions', 'Set the login'],
  no_credentials: [3, 'No login is stored, so calls and jobs fail', 'sessions', 'Set the login'],
  offline: [4, 'It does not answer', 'overview', 'See why'],
};

export function deviceAttention({ id, name, stateReason, seenAt, ...device }: Device): Attention[] {
  const state = shownState(device.state, device.credentials);
  const known = DEVICE_ACTIONS[state];
  if (!known) return [];
  const [rank, why, tab, action] = known;
  const reason = stateReason ? `${why} (${stateReason.replaceAll('_', ' ')})` : why;
  return [
    {
      id: `device ${id}`,
      rank,
      state,
      what: name,
      why: reason,
      to: `/devices/${id}`,
      search: { tab },
      action,
      answeredAt: seenAt,
    },
  ];
}

export function alertAttention({ id, ruleName, ruleNote, deviceId, severity }: Schema<'Alert'>): Attention[] {
  if (severity === 'info') return [];
  return [
    {
      id: `alert ${id}`,
      rank: severity === 'critical' ? 2 : 4,
      state: 'alert',
      what: `${ruleName} ·`,
      deviceId,
      why: ruleNote || 'It meets a rule of monitoring',
      to: `/monitoring`,
      search: { device: deviceId },
      action: 'Open alerts',
    },
  ];
}

export function rolloutAttention({ id, name, state, pause }: Schema<'Rollout'>): Attention[] {
  if (state === 'paused') {
    return [
      {
        id: `rollout ${id}`,
        rank: 1,
        state,
        what: name,
        why: pause?.sentence ?? 'It is paused',
        to: `/rollouts/${id}`,
        action: 'Decide',
      },
    ];
  }
  if (state !== 'awaiting_approval') return [];
  return [
    {
      id: `rollout ${id}`,
      rank: 1,
      state,
      what: name,
      why: 'It waits for the approval of a second person',
      to: `/rollouts/${id}`,
      action: 'Look at it',
    },
  ];
}

/** How long a job with an unknown outcome is shown: its device is looked at by then, or it is not urgent. */
const UNKNOWN_MS = 7 * 86_400_000;

export function jobAttention(job: Schema<'Job'>, now: number): Attention[] {
  const { id, kind, outcome, failure, deviceId, endedAt } = job;
  if (outcome !== 'unknown' || (endedAt && now - new Date(endedAt).getTime() > UNKNOWN_MS)) return [];
  return [
    {
      id: `job ${id}`,
      rank: 0,
      state: outcome,
      what: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} on`,
      deviceId,
      why: failure?.message ?? 'The device may or may not have executed it',
      to: `/jobs/${id}`,
      action: 'Look at the evidence',
    },
  ];
}

export function approvalAttention({
  id,
  action,
  devices,
  requestedByName,
}: Pick<Schema<'Approval'>, 'id' | 'action' | 'devices' | 'requestedByName'>): Attention {
  return {
    id: `approval ${id}`,
    rank: 1,
    state: 'awaiting_approval',
    what: devices > 1 ? `${plannedText(action)} · ${countText(devices, 'device')}` : plannedText(action),
    why: `Asked by ${requestedByName}`,
    to: '/access',
    search: { tab: 'approvals' },
    action: 'Decide',
  };
}

/** `root_key_without_copy` → `Root key without copy`. */
const sentence = (code: string): string => code.charAt(0).toUpperCase() + code.slice(1).replaceAll('_', ' ');

export const warningAttention = ({ code, text }: Schema<'System'>['warnings'][number]): Attention => ({
  id: `warning ${code}`,
  rank: 5,
  state: 'warning',
  what: sentence(code),
  why: text,
  to: '/system',
  action: 'Open System',
});
