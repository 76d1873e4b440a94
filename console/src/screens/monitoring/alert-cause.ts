import { bytesText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { causeOf, isKnown } from '../device-outage/outage-cause.js';
import { uptimeText } from '../device-status/instruments.js';

type Value = Schema<'Alert'>['values'][number];

const with2 = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });
const unit = (text: string) => (value: number) => `${Math.round(value).toLocaleString('en')} ${text}`;

/** How a value of a rule is called and written. */
const VALUES: Readonly<Partial<Record<Value['name'], readonly [name: string, textOf: (value: number) => string]>>> = {
  rssi: ['RSSI', unit('dBm')],
  rsrp: ['RSRP', unit('dBm')],
  rsrq: ['RSRQ', unit('dB')],
  sinr: ['SINR', unit('dB')],
  temperature: ['Temperature', unit('°C')],
  load: ['Load', with2],
  uptime: ['Uptime', uptimeText],
  'memory.free': ['Free memory', unit('%')],
  'flash.free': ['Free flash', unit('%')],
  'data.day': ['Data today', bytesText],
  'data.month': ['Data this month', bytesText],
  'data.plan': ['Data this month', bytesText],
};

/** What an alert is about now: the values that its rule compares, else why the device does not answer, else the note of the rule. */
export function alertCause({ values, stateReason, ruleNote }: Schema<'Alert'>): string {
  const texts = values.flatMap(({ name, value }) => {
    const known = VALUES[name];
    return known ? `${known[0]} ${known[1](value)}` : [];
  });
  if (texts.length > 0) return texts.join(', ');
  const cause = causeOf(stateReason);
  return isKnown(cause) ? cause.title : ruleNote;
}
