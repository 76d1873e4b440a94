import { type z } from 'zod';
import { type Counts, type TargetState } from '../state/rollout-state.js';
import { type reportView } from '../state/rollouts.contract.js';

/*
 * The report of a rollout, as a page for printing. Pure: data in, HTML out. No script, no picture, no foreign address;
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

const STYLE = `
  :root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
  p.lead { margin: 0 0 1.5rem; color: #57606a; } p.pause { border-left: 4px solid #bf8700; padding: .4rem .8rem; background: #fff8e5; }
  code { font: .93em ui-monospace, monospace; }
  .wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; overflow-wrap: normal; }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #d8dee4; vertical-align: top; }
  tbody th { width: 9rem; } td.names { min-width: 10rem; overflow-wrap: anywhere; } td.at { white-space: nowrap; }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
  .bar { display: flex; gap: 1px; height: 1.1rem; border-radius: .3rem; overflow: hidden; margin: .6rem 0; }
  .bar i { min-width: 4px; } .key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; margin: 0 0 1rem; padding: 0; }
  .key i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
  i.succeeded { background: #1a7f37; } i.failed { background: #cf222e; } i.unknown { background: #bf8700; }
  i.running { background: #0969da; } i.queued { background: #80b3f2; } i.offline { background: #8250df; }
  i.waiting { background: #d0d7de; } i.skipped { background: #8c959f; } i.cancelled { background: #57606a; }
  footer { margin-top: 2rem; color: #57606a; font-size: .85rem; }
  @media print {
    :root { font-size: 9pt; } body { margin: 0; padding: 0; max-width: none; } .wide { overflow: visible; }
    th, td { padding: .2rem .4rem; } td.at { white-space: normal; } tr { break-inside: avoid; } h2 { break-after: avoid; }
    i, p.pause { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  }`;

/** The report as a page of HTML. */
export function reportPage(report: Report): string {
  const { name, counts, total, pause, state } = report;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(name)}: rollout report</title><style>${STYLE}</style></head><body>
<h1>${text(name)}</h1>
<p class="lead">This rollout is ${text(state.replaceAll('_', ' '))}. ${counts.succeeded} of ${total} devices succeeded.</p>
${pause ? `<p class="pause"><strong>Why it is paused:</strong> ${text(pause.sentence)}</p>` : ''}
${bar(counts, total)}
${facts(report)}
${waves(report)}
${causes(report)}
${persons(report)}
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
    ['Kind', text(kind)],
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
    const others = size - succeeded - failed - unknown;
    const numbers = [size, succeeded, failed, unknown, others].map((n) => `<td class="n">${n}</td>`).join('');
    const times = [startedAt, endedAt].map((at) => `<td class="at">${instant(at)}</td>`).join('');
    return `<td>${text(name)}</td><td>${state}</td>${numbers}${times}`;
  });
  const numbers = ['Devices', 'Succeeded', 'Failed', 'Unknown', 'Others'].map(numberHead);
  const times = ['Began (UTC)', 'Ended (UTC)'].map(head);
  return section('Waves', table([head('Wave'), head('State'), ...numbers, ...times], rows));
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
    return `<td>${text(state)}</td><td>${words(reason)}</td><td class="n">${count}</td><td class="names">${names}</td>`;
  });
  return table([head('State'), head('Reason'), numberHead('Devices'), head('Which')], rows);
}

function persons({ needsPerson, counts }: Report): string {
  if (needsPerson.length === 0) return '';
  const rows = needsPerson.map(
    ({ name, state, reason }) => `<td class="names">${text(name)}</td><td>${text(state)}</td><td>${words(reason)}</td>`,
  );
  const more = counts.failed + counts.unknown - needsPerson.length;
  const rest = more > 0 ? `<p>${more} more are not listed here.</p>` : '';
  return section('A person must look at these', table(['Device', 'State', 'Reason'].map(head), rows) + rest);
}

const section = (title: string, content: string): string => `<h2>${title}</h2>${content}`;

const head = (name: string): string => `<th scope="col">${name}</th>`;
const numberHead = (name: string): string => `<th scope="col" class="n">${name}</th>`;

/** A table that scrolls if it is too wide, and repeats its head on each printed page. */
function table(heads: readonly string[], rows: readonly string[]): string {
  const lines = rows.map((row) => `<tr>${row}</tr>`);
  return `<div class="wide"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`;
}

const instant = (at: Date | null): string =>
  at === null ? 'not yet' : at.toISOString().replace('T', ' ').slice(0, 16);

const words = (code: string | null): string => text((code ?? '').replaceAll('_', ' '));

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
