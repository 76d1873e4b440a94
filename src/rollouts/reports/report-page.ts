import { type z } from 'zod';
import { shortVersion } from '../../device-api/firmware-version.js';
import { type Counts, type TargetState } from '../state/rollout-state.js';
import { type reportView } from '../state/rollouts.contract.js';
import { REPORT_STYLES } from './report-styles.js';
import { reasonWords, sentence } from './report-words.js';

/*
 * The report of a rollout, as a page to read and to print. Pure: data in, HTML out. No script, no picture, no foreign address;
 * every value is escaped, since names of devices are free text.
 */

type View = z.input<typeof reportView>;

/** Devices without success in the same state, for the same reason. */
export type ReportGroup = View['causes'][number];

export type ReportTimes = View['times'];

export type Report = Omit<
  View,
  'planDigest' | 'scheduleId' | 'rollsBack' | 'createdBy' | 'createdAt' | 'startsAt' | 'waves'
> & {
  readonly waves: readonly Pick<View['waves'][number], 'name' | 'state' | 'startedAt' | 'endedAt' | 'counts'>[];
};

/** One device of a report. */
export interface ReportDevice {
  readonly name: string;
  /** Its wave, from 1. */
  readonly wave: number;
  readonly state: string;
  readonly reason: string | null;
  readonly beganAt: Date | null;
  readonly endedAt: Date | null;
  /** Before its job; null: not known, or it has had none. */
  readonly firmwareBefore: string | null;
  /** Now; null: not known, or the device was removed. */
  readonly firmware: string | null;
}

/** The parts of the bar, from left to right: done, failed, still to come, excluded. */
const ORDER: readonly TargetState[] = [
  'succeeded',
  'failed',
  'unknown',
  'running',
  'queued',
  'offline',
  'waiting',
  'skipped',
  'cancelled',
];

interface PageParts {
  /** Those without success first; not all where there are many. */
  readonly devices: readonly ReportDevice[];
  /** The rule that names the font of the console. */
  readonly font: string;
}

/** The report as a page of HTML. */
export function reportPage(report: Report, { devices, font }: PageParts): string {
  const { id, name, counts, total, pause, state } = report;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(name)}: rollout report</title><style>${font}${REPORT_STYLES}</style></head><body>
<nav><a href="../../../console/rollouts/${text(id)}">The rollout in the console</a></nav>
<h1>${text(name)}</h1>
<p class="lead">This rollout is ${text(state.replaceAll('_', ' '))}. ${counts.succeeded} of ${total} devices succeeded.</p>
${pause ? `<p class="pause"><strong>Why it is paused:</strong> ${text(pause.sentence)}</p>` : ''}
<section>${bar(counts, total)}</section>
<section>${facts(report)}</section>
${waves(report)}
${causes(report)}
${persons(report)}
${deviceTable(devices, report)}
<footer>Made by Fleetgate at ${instant(report.madeAt)} UTC. Rollout ${text(report.id)}.</footer>
</body></html>
`;
}

function bar(counts: Counts, total: number): string {
  const parts = ORDER.filter((state) => counts[state] > 0);
  const share = (count: number) => ((count * 100) / Math.max(total, 1)).toFixed(2);
  const pieces = parts.map((state) => `<i class="${state}" style="width:${share(counts[state])}%"></i>`);
  const words = parts.map((state) => `${counts[state]} ${state}`);
  const key = parts.map((state, index) => `<li><i class="${state}"></i>${words[index]}</li>`);
  return `<div class="bar" role="img" aria-label="${words.join(', ')}">${pieces.join('')}</div><ul class="key">${key.join('')}</ul>`;
}

function facts({ kind, selector, startedAt, endedAt, createdByName, approvedByName, reason, times }: Report): string {
  const { totalSeconds, perDevice } = times;
  const rows: [name: string, value: string | null][] = [
    ['Kind', text(sentence(kind))],
    ['Devices', selector === null ? null : `<code>${text(selector)}</code>`],
    ['Made by', text(createdByName)],
    ['Approved by', approvedByName === null ? null : text(approvedByName)],
    ['Reason', reason === null ? null : text(reason)],
    ['Started', startedAt === null ? 'not yet' : `${instant(startedAt)} UTC`],
    ['Ended', endedAt === null ? 'not yet' : `${instant(endedAt)} UTC`],
    ['Duration', totalSeconds === null ? null : duration(totalSeconds)],
    [
      'Per device',
      perDevice &&
        `half within ${duration(perDevice.p50)}, 9 of 10 within ${duration(perDevice.p90)}, all within ${duration(perDevice.max)}`,
    ],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === null ? [] : [`<tr><th scope="row">${name}</th><td>${value}</td></tr>`],
  );
  return `<table><tbody>${lines.join('')}</tbody></table>`;
}

function waves(report: Report): string {
  const rows = report.waves.map(({ name, state, startedAt, endedAt, counts }) => {
    const { succeeded, failed, unknown } = counts;
    const size = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const numbers = [size, succeeded, failed, unknown, size - succeeded - failed - unknown].map(String);
    const isLeft = report.state === 'aborted' && state === 'waiting';
    return [text(name), text(isLeft ? 'Cancelled' : sentence(state)), ...numbers, instant(startedAt), instant(endedAt)];
  });
  return section('Waves', table(WAVE_COLUMNS, rows));
}

/** Failures come first, because readers look for them; then devices without an end, or excluded ones. */
function causes({ causes: groups }: Report): string {
  const isFailure = ({ state }: ReportGroup) => state === 'failed' || state === 'unknown';
  const failures = groups.filter(isFailure);
  const others = groups.filter((group) => !isFailure(group));
  return (
    section('Failures by cause', failures.length > 0 ? groupTable(failures) : '<p>No device failed.</p>') +
    (others.length > 0 ? section('Other devices', groupTable(others)) : '')
  );
}

function groupTable(groups: readonly ReportGroup[]): string {
  const rows = groups.map(({ state, reason, count, devices }) => {
    const more = count - devices.length;
    const names = [...devices.map(text), ...(more > 0 ? [`${more} more`] : [])].join(', ');
    return [stateCell(state), text(reasonWords(reason)), String(count), names];
  });
  return table([['State', 'at'], ['Reason'], ['Devices', 'n'], ['Which', 'names']], rows);
}

function persons({ needsPerson, counts }: Report): string {
  if (needsPerson.length === 0) return '';
  const rows = needsPerson.map(({ name, state, reason }) => [text(name), stateCell(state), text(reasonWords(reason))]);
  const more = counts.failed + counts.unknown - needsPerson.length;
  const rest = more > 0 ? `<p>${more} more are not listed here.</p>` : '';
  return section('A person must look at these', table([['Device', 'names'], ['State', 'at'], ['Reason']], rows) + rest);
}

/** Each device with its result, its time and what went wrong. */
function deviceTable(devices: readonly ReportDevice[], { kind, total }: Report): string {
  if (devices.length === 0) return '';
  const isOfFirmware = kind === 'firmware';
  const rows = devices.map((device) => {
    const { name, wave, state, reason, beganAt, endedAt } = device;
    const seconds = beganAt && endedAt ? (endedAt.getTime() - beganAt.getTime()) / 1_000 : null;
    const took = seconds === null ? '' : duration(seconds);
    const at = endedAt === null ? '' : instant(endedAt);
    const firmware = isOfFirmware ? [text(firmwareText(device))] : [];
    return [text(name), stateCell(state), String(wave), at, took, ...firmware, text(reasonWords(reason))];
  });
  const more = total - devices.length;
  const rest = more > 0 ? `<p>${more} more are in the report as CSV.</p>` : '';
  const columns = isOfFirmware ? [...DEVICE_COLUMNS, FIRMWARE, WHY] : [...DEVICE_COLUMNS, WHY];
  return section('Devices', table(columns, rows) + rest);
}

/** `07.16.3 → 07.17.3`, or the one that it had and has. */
function firmwareText({ firmwareBefore, firmware }: ReportDevice): string {
  const [before, now] = [firmwareBefore, firmware].map((name) => name && shortVersion(name));
  if (before === now || before === null || now === null) return now ?? before ?? '';
  return `${before} → ${now}`;
}

const section = (title: string, content: string): string => `<section><h2>${title}</h2>${content}</section>`;

const stateCell = (state: string): string => `<i class="${text(state)}"></i>${text(sentence(state))}`;

/** The name of a column, and the class of its cells. */
type ReportColumn = readonly [name: string, kind?: 'n' | 'names' | 'at'];

const WAVE_COLUMNS: readonly ReportColumn[] = [
  ['Wave'],
  ['State'],
  ['Devices', 'n'],
  ['Succeeded', 'n'],
  ['Failed', 'n'],
  ['Unknown', 'n'],
  ['Others', 'n'],
  ['Began (UTC)', 'at'],
  ['Ended (UTC)', 'at'],
];

const DEVICE_COLUMNS: readonly ReportColumn[] = [
  ['Device', 'names'],
  ['Result', 'at'],
  ['Wave', 'n'],
  ['Ended (UTC)', 'at'],
  ['Time', 'n'],
];
const FIRMWARE: ReportColumn = ['Firmware, before → now', 'at'];
const WHY: ReportColumn = ['Why'];

/** A table; on narrow screens a list whose lines name their columns. It repeats its head on each printed page. */
function table(columns: readonly ReportColumn[], rows: readonly (readonly string[])[]): string {
  const classOf = (kind: string | undefined) => (kind === undefined ? '' : ` class="${kind}"`);
  const heads = columns.map(([name, kind]) => `<th scope="col"${classOf(kind)}>${name}</th>`);
  const lines = rows.map((row) => {
    const cells = row.map((cell, at) => {
      const [name, kind] = columns[at]!;
      const hints = (at === 0 ? '' : ` data-head="${name}"`) + (cell === '0' ? ' data-zero' : '');
      return `<td${classOf(kind)}${hints}>${cell}</td>`;
    });
    return `<tr>${cells.join('')}</tr>`;
  });
  return `<table class="list"><thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table>`;
}

const instant = (at: Date | null): string =>
  at === null ? 'not yet' : at.toISOString().replace('T', ' ').slice(0, 16);

/** In its largest unit, cut, as the console says it. */
function duration(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
] as const;

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
