import { countText } from '../../../api/amount-text.js';
import { type components } from '../../../../../src/api-client/openapi.js';

/* How a rollout goes on, in words: on its page, in the audit, and before it is created. */

type Schemas = components['schemas'];
type Policy = Schemas['RolloutPolicy'];
type Line = readonly [label: string, text: string];

/** The policy of a rollout or a schedule in lines; one that is not complete, of an earlier version, has fewer. */
export const policyWords = (policy: Partial<Policy>, isOver = false): readonly Line[] => [
  ...(policy.waves ?? []).map((wave, at): Line => [`Wave ${at + 1}`, waveText(wave)]),
  ...(policy.stop ? ([['Pauses by itself', stopText(policy.stop)]] as const) : []),
  ...(policy.windows ? ([['Window', windowText(policy.windows, policy.timeZone)]] as const) : []),
  ...(policy.concurrency === undefined ? [] : ([['Pace', paceText(policy, policy.concurrency)]] as const)),
  ...restWords(policy, isOver),
];

/** The same without what the page of a rollout shows as pictures. @param isOver the rollout has ended */
export const aboutPolicy = ({ waves: _waves, stop: _stop, ...policy }: Policy, isOver: boolean): readonly Line[] =>
  policyWords(policy, isOver);

function restWords(policy: Partial<Policy>, isOver: boolean): Line[] {
  const { offline, held, retries, checks, expectedMinutes, membership, endsAt } = policy;
  const are = isOver ? 'were' : 'are';
  const lines: (Line | false | undefined)[] = [
    offline && [
      'Offline devices',
      offline.action === 'skip'
        ? `${are} left out`
        : `${are} waited for, up to ${countText(offline.waitHours, 'hour')}`,
    ],
    held && [
      'Devices of other rollouts',
      held === 'skip'
        ? `${are} left out`
        : `${are} waited for until the other rollout ${isOver ? 'had' : 'has'} done them`,
    ],
    retries !== undefined && ['Retries', retries === 0 ? 'none' : `${retries}, where another try may help`],
    checks && checks.length > 0 && ['Health checks', checks.map(checkText).join('; ')],
    expectedMinutes !== undefined && ['Longest for one device', countText(expectedMinutes, 'minute')],
    membership === 'following' && [
      'Later devices',
      `those that ${isOver ? 'came' : 'come'} to match ${isOver ? 'joined' : 'join'} the last wave`,
    ],
    endsAt !== undefined && ['No start after', endsAt],
  ];
  return lines.filter((line): line is Line => Array.isArray(line));
}

/** `canary: 2 devices; 95 % must succeed, soaks 10 minutes; then it waits for a person`. */
function waveText({ name, take, gate, successPercent, soakMinutes }: Schemas['WavePolicy']): string {
  const parts = [takeText(take), gateText(successPercent, soakMinutes)];
  if (gate === 'manual') parts.push('starts when a person promotes it');
  return `${name ? `${name}: ` : ''}${parts.join('; ')}`;
}

export function takeText(take: Schemas['WaveTake']): string {
  if (take === 'rest') return 'all others';
  if ('count' in take) return countText(take.count, 'device');
  if ('percent' in take) return `${take.percent} % of all`;
  return 'tag' in take ? `those with the tag ${take.tag}` : `those at the site ${take.site}`;
}

/** What must be true before the next wave begins. */
export const gateText = (successPercent: number, soakMinutes: number): string =>
  `${successPercent} % must succeed${soakMinutes > 0 ? `, soaks ${countText(soakMinutes, 'minute')}` : ''}`;

export function stopText(stop: Partial<Schemas['RolloutStop']> | 'never'): string {
  if (stop === 'never') return 'never';
  const { failures, percent, minimum = 0 } = stop;
  const share =
    percent === undefined ? '' : `${percent} % of failures${minimum > 0 ? `, from ${minimum} ended devices on` : ''}`;
  return `at ${[failures && countText(failures, 'failure'), share].filter(Boolean).join(' or ')}`;
}

function windowText(windows: Policy['windows'], timeZone = 'UTC'): string {
  if (windows.length === 0) return 'at any time';
  const texts = windows.map(({ days, from, to }) => `${days.length === 7 ? 'daily' : days.join(', ')} ${from}–${to}`);
  return `${texts.join('; ')}, in the time zone of the device, else ${timeZone}`;
}

/** `at most 50 devices at once`, or how often the next one begins. */
function paceText({ perMinute, perSite, bytesPerSecond }: Partial<Policy>, concurrency: number): string {
  const limits = [
    perMinute !== undefined && perMinute >= 1 && `${countText(perMinute, 'device')} a minute`,
    perMinute !== undefined && perMinute < 1 && `the next device after ${lengthText(Math.round(60 / perMinute))}`,
    `at most ${countText(concurrency, 'device')} at once`,
    perSite !== undefined && `${countText(perSite, 'device')} of one site`,
    bytesPerSecond !== undefined && `${(bytesPerSecond / 1e6).toFixed(1)} MB a second`,
  ];
  return limits.filter(Boolean).join(', ');
}

const lengthText = (seconds: number): string =>
  [seconds >= 60 && `${Math.floor(seconds / 60)} min`, seconds % 60 > 0 && `${seconds % 60} s`]
    .filter(Boolean)
    .join(' ');

function checkText(check: Schemas['HealthCheck']): string {
  if (check.check === 'reachable') return 'the device answers';
  return check.check === 'firmware' ? `the firmware is ${check.is}` : `${check.path} gives what is expected`;
}
