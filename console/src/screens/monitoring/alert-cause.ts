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
  const texts = valuesText(values);
  if (texts !== '') return texts;
  const cause = causeOf(stateReason);
  return isKnown(cause) ? cause.title : ruleNote;
}

function valuesText(values: readonly Value[]): string {
  const texts = values.flatMap(({ name, value }) => {
    const known = VALUES[name];
    return known ? `${known[0]} ${known[1](value)}` : [];
  });
  return texts.join(', ');
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
  const texts = valuesText(values);
  if (texts !== '') return texts;
  const [, name] = OF_A_STATE.exec(selector?.trim() ?? '') ?? [];
  return name ? `${state(name)} for ${lengthText(now - Date.parse(matchedAt))}` : ruleName;
}

/** `3 h`, `2 days`. */
const lengthText = (ms: number): string => relativeText(Math.max(1_000, ms)).replace(/^in /, '');
