import { countText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { inHours } from '../../api/clock.js';

/** So long a rule is silent for a device with two clicks; the form has other lengths. */
const HOURS = 8;

export const QUICK_MUTE = `Mute this rule for ${countText(HOURS, 'hour')}`;

/** Mutes a rule for the devices of these alerts, without a form. */
export function useQuickMute() {
  return useAction({
    run: (alerts: readonly Pick<Schema<'Alert'>, 'deviceId' | 'ruleId' | 'ruleName'>[]) =>
      api.post('/v1/monitoring/mutes', {
        body: {
          selector: [...new Set(alerts.map(({ deviceId }) => `id:${deviceId}`))].join(' | '),
          ruleId: alerts[0]!.ruleId,
          reason: `Known: ${alerts[0]!.ruleName}`,
          until: inHours(HOURS),
        },
      }),
    done: (_, alerts) =>
      `${alerts[0]!.ruleName}: ${countText(alerts.length, 'device')} muted for ${countText(HOURS, 'hour')}`,
    opens: () => ({ text: 'Mutes', to: '/monitoring?tab=mutes' }),
    refreshes: ['mutes'],
  });
}
