import { countText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/api-client.js';
import { actText, reachText, readSummary } from '../access/approving/act-words.js';
import { alertTexts } from '../monitoring/alert-cause.js';
import { remedyOf } from '../monitoring/shown/remedies.js';
import { failedOf } from '../rollouts/forecast.js';
import { heldWaveText } from '../rollouts/pictures/wave-now.js';
import { type Attention, grouped, RANKS } from './attention-item.js';

type Schemas = components['schemas'];

/* What needs a person, worst first: each with its reason and the one action that helps. */

/** The open alerts of each rule, with what helps where that is known. @param selectors of the rules by their ids, as far as the caller may see them */
export function alertAttention(
  alerts: readonly Schemas['Alert'][],
  selectors: ReadonlyMap<string, string | null> = new Map(),
): Attention[] {
  const bad = alerts.filter(({ severity }) => severity !== 'info');
  return [...grouped(bad, ({ ruleName }) => ruleName).values()].map((same) => {
    const [first] = same as [Schemas['Alert']];
    const { ruleId, ruleName, ruleNote, deviceId, severity } = first;
    const remedy = remedyOf(selectors.get(ruleId), deviceId);
    const mended = remedy
      ? { to: remedy.to, search: remedy.search, action: remedy.text }
      : { search: { device: deviceId } };
    const one = same.length === 1 ? { deviceId, ...mended } : {};
    const { title, about } = alertTexts(first);
    return {
      id: `alert ${ruleName}`,
      rank: severity === 'critical' ? RANKS.broken : RANKS.warning,
      state: severity === 'critical' ? 'critical' : 'alert',
      what: same.length === 1 ? `${title} ·` : `${ruleName} · ${countText(same.length, 'device')}`,
      why: (same.length === 1 ? about : ruleNote) || 'It meets a rule of monitoring',
      to: '/monitoring',
      action: 'Open alerts',
      at: newest(same),
      alerts: same,
      ...one,
    };
  });
}

function newest(alerts: readonly Schemas['Alert'][]): string | undefined {
  const dates = alerts.flatMap(({ openedAt }) => openedAt ?? []);
  return dates.length === 0 ? undefined : dates.reduce((one, other) => (one > other ? one : other));
}

export function rolloutAttention({ id, name, state, pause }: Schemas['Rollout']): Attention[] {
  if (state === 'paused') {
    return [
      {
        id: `rollout ${id}`,
        rank: RANKS.warning,
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
      rank: RANKS.decision,
      state,
      what: name,
      why: 'It waits for the approval of a second person',
      to: `/rollouts/${id}`,
      action: 'Look at it',
    },
  ];
}

/** A rollout whose next wave waits for a person. */
export function waveAttention(rollout: Schemas['RolloutWithWaves']): Attention[] {
  const wave = heldWaveText(rollout);
  if (!wave) return [];
  const { id, name, counts } = rollout;
  return [
    {
      id: `rollout ${id}`,
      rank: RANKS.decision,
      state: 'held',
      what: name,
      why: `Begins when a person lets it: ${wave} · ${countText(failedOf(counts), 'failure')} so far`,
      to: `/rollouts/${id}`,
      action: 'Decide',
    },
  ];
}

/** How long a job with an unknown outcome is shown: its device is looked at by then, or it is not urgent. */
const UNKNOWN_MS = 7 * 86_400_000;

export function jobAttention(job: Schemas['Job'], now: number): Attention[] {
  const { id, kind, outcome, failure, deviceId, endedAt } = job;
  if (outcome !== 'unknown' || (endedAt && now - new Date(endedAt).getTime() > UNKNOWN_MS)) return [];
  return [
    {
      id: `job ${id}`,
      rank: RANKS.unknown,
      state: outcome,
      what: `${kind.charAt(0).toUpperCase()}${kind.slice(1)} on`,
      deviceId,
      why: failure?.message ?? 'The device may or may not have executed it',
      to: `/jobs/${id}`,
      action: 'Look at the evidence',
    },
  ];
}

/** In the words of the approval itself. @param effect how many devices it reaches now; absent: not known */
export function approvalAttention(
  {
    id,
    summary,
    devices,
    requestedByName,
  }: Pick<Schemas['Approval'], 'id' | 'summary' | 'devices' | 'requestedByName'>,
  effect?: { readonly reached: number; readonly matched: number },
): Attention {
  const reach = effect ? reachText(effect) : '';
  return {
    id: `approval ${id}`,
    rank: RANKS.decision,
    state: 'awaiting_approval',
    what: `${requestedByName} asks to ${actText(readSummary(summary), devices)}`,
    why: `It needs a second person${reach && ` · ${reach}`}`,
    to: '/access',
    search: { tab: 'approvals' },
    action: 'Decide',
  };
}
