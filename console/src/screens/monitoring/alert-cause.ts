import { relativeText } from '../../../../src/api-client/relative-time.js';
import { bytesText, signedText } from '../../api/amount-text.js';
import { type components } from '../../../../src/api-client/openapi.js';
import { causeOf, isKnown } from '../device-outage/outage-cause.js';
import { uptimeText } from '../device-status/instruments.js';

type Alert = components['schemas']['Alert'];
type Value = Alert['values'][number];

const with2 = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });
const unit = (text: string) => (value: number) => `${signedText(value, 0)} ${text}`;

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
  certificate: ['Certificate', (rest) => `${rest < 0 ? 'ended' : 'ends'} ${relativeText(1_000 * rest)}`],
  backup: ['Newest backup', (age) => `made ${relativeText(-1_000 * age)}`],
};

/** What an alert is about now: the values that its rule compares, else why the device does not answer, else the note of the rule. */
export function alertCause({
  values,
  stateReason,
  ruleNote,
}: Pick<Alert, 'values' | 'stateReason' | 'ruleNote'>): string {
  const texts = alertValues(values);
  if (texts !== '') return texts;
  const cause = causeOf(stateReason);
  return isKnown(cause) ? cause.title : ruleNote;
}

/** The values that its rule compares, as they are now: `Certificate ends in 11 days`; empty: it compares none. */
function alertValues(values: readonly Value[]): string {
  const texts = values.flatMap(({ name, value }) => {
    const known = VALUES[name];
    return known ? `${known[0]} ${known[1](value)}` : [];
  });
  return texts.join(', ');
}

/** An alert in a list: what is so on its device first, then the name of its rule; without a value the rule, then the cause. */
export function alertTexts(alert: Parameters<typeof alertCause>[0] & Pick<Alert, 'ruleName'>): {
  readonly title: string;
  readonly about: string;
} {
  const values = alertValues(alert.values);
  return values === '' ? { title: alert.ruleName, about: alertCause(alert) } : { title: values, about: alert.ruleName };
}

/** The state that a rule of one term is about. */
const OF_A_STATE = /^state[:=](\w+)$/;

/**
 * An alert on the page of its device: what is so now, not the name of its rule, whose number is the limit.
 * @param selector of the rule; undefined: not known, or the reader may not see it @param now milliseconds @param state the word of a state
 */
export function alertFact(
  { values, ruleName, matchedAt }: Pick<Alert, 'values' | 'ruleName' | 'matchedAt'>,
  selector: string | null | undefined,
  now: number,
  state: (name: string) => string,
): string {
  const texts = alertValues(values);
  if (texts !== '') return texts;
  const [, name] = OF_A_STATE.exec(selector?.trim() ?? '') ?? [];
  return name ? `${state(name)} for ${lengthText(now - Date.parse(matchedAt))}` : ruleName;
}

/** `3 h`, `2 days`. */
const lengthText = (ms: number): string => relativeText(Math.max(1_000, ms)).replace(/^in /, '');
