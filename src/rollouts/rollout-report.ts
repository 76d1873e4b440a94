import { type Counts } from './rollout-state.js';

/*
 * The report of a rollout, as a page that prints well. Pure: what is known goes in, HTML comes out. No script, no picture,
 * no address of anybody else; every value is escaped, since names of devices are whatever somebody typed.
 */

/** Devices that ended in the same way, for the same reason. */
export interface ReportGroup {
  readonly state: string;
  readonly reason: string | null;
  readonly count: number;
  /** Names of the first ones. */
  readonly devices: readonly string[];
}

export interface ReportTimes {
  /** From the first device to the last, in seconds; null before anything has ended. */
  readonly totalSeconds: number | null;
  readonly perDevice: { readonly p50: number; readonly p90: number; readonly max: number } | null;
}

export interface Report {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly selector: string;
  readonly state: string;
  readonly pause: { readonly cause: string; readonly sentence: string } | null;
  readonly createdByName: string;
  readonly approvedByName: string | null;
  readonly reason: string | null;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly madeAt: Date;
  readonly total: number;
  readonly counts: Counts;
  readonly waves: readonly {
    readonly name: string;
    readonly state: string;
    readonly startedAt: Date | null;
    readonly endedAt: Date | null;
    readonly counts: Counts;
  }[];
  readonly times: ReportTimes;
  /** All but the succeeded, the largest group first. */
  readonly causes: readonly ReportGroup[];
  /** Devices about which nobody can be sure before a person has looked. */
  readonly needsPerson: readonly {
    readonly deviceId: string;
    readonly name: string;
    readonly state: string;
    readonly reason: string | null;
  }[];
}

const STYLE = `
  :root { color-scheme: light; font: 15px/1.5 system-ui, sans-serif; color: #1b1f24; }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.6rem; margin: 0 0 .2rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
  p.lead { margin: 0 0 1.5rem; color: #57606a; } p.pause { border-left: 4px solid #bf8700; padding: .4rem .8rem; background: #fff8e5; }
  table { border-collapse: collapse; width: 100%; } caption { text-align: left; color: #57606a; }
  th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid #d8dee4; vertical-align: top; }
  td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
  .bar { display: flex; height: 1.1rem; border-radius: .3rem; overflow: hidden; background: #eaeef2; margin: .6rem 0; }
  .bar i { display: block; } .succeeded { background: #1a7f37; } .failed { background: #cf222e; } .unknown { background: #bf8700; }
  .skipped, .cancelled { background: #8c959f; } .queued, .running { background: #0969da; }
  footer { margin-top: 2rem; color: #57606a; font-size: .85rem; }
  @media print { body { margin: 0; max-width: none; } tr, h2 { break-inside: avoid; break-after: avoid-page; } .bar { print-color-adjust: exact; } }`;

/** The page. */
export function reportPage(report: Report): string {
  const { name, counts, total, pause } = report;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(name)}: rollout report</title><style>${STYLE}</style></head><body>
<h1>${text(name)}</h1>
<p class="lead">${text(report.kind)} on ${text(report.selector)}, ${text(report.state)}. ${counts.succeeded} of ${total} devices succeeded.</p>
${pause ? `<p class="pause">${text(pause.sentence)}</p>` : ''}
${bar(counts, total)}
${facts(report)}
${waves(report)}
${causes(report)}
${persons(report)}
<footer>Made by Fleetgate at ${instant(report.madeAt)}. Rollout ${text(report.id)}.</footer>
</body></html>
`;
}

function bar(counts: Counts, total: number): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0);
  const share = (count: number) => ((count * 100) / Math.max(total, 1)).toFixed(2);
  const pieces = parts.map(
    ([state, count]) => `<i class="${state}" style="width:${share(count)}%" title="${state}: ${count}"></i>`,
  );
  const words = parts.map(([state, count]) => `${count} ${state}`).join(', ');
  return `<div class="bar" role="img" aria-label="${words}">${pieces.join('')}</div><p>${words}</p>`;
}

function facts({ startedAt, endedAt, createdByName, approvedByName, reason, times }: Report): string {
  const { totalSeconds, perDevice } = times;
  const rows: [string, string][] = [
    ['Started by', text(createdByName)],
    ...(approvedByName === null ? [] : [['Approved by', text(approvedByName)] as [string, string]]),
    ...(reason === null ? [] : [['Reason', text(reason)] as [string, string]]),
    ['Started', instant(startedAt)],
    ['Ended', instant(endedAt)],
    ...(totalSeconds === null ? [] : [['Time', duration(totalSeconds)] as [string, string]]),
    ...(perDevice === null
      ? []
      : [
          [
            'Per device',
            `median ${duration(perDevice.p50)}, 9 of 10 within ${duration(perDevice.p90)}, longest ${duration(perDevice.max)}`,
          ] as [string, string],
        ]),
  ];
  return `<table>${rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`).join('')}</table>`;
}

function waves(report: Report): string {
  const rows = report.waves.map(({ name, state, startedAt, endedAt, counts }) => {
    const { succeeded, failed, unknown } = counts;
    const size = Object.values(counts).reduce((sum, count) => sum + count, 0);
    const others = size - succeeded - failed - unknown;
    const numbers = [size, succeeded, failed, unknown, others].map((n) => `<td class="n">${n}</td>`).join('');
    return `<tr><td>${text(name)}</td><td>${state}</td><td>${instant(startedAt)}</td><td>${instant(endedAt)}</td>${numbers}</tr>`;
  });
  const heads = ['Devices', 'Succeeded', 'Failed', 'Unknown', 'Others']
    .map((head) => `<th class="n">${head}</th>`)
    .join('');
  return `<h2>Waves</h2><table><tr><th>Wave</th><th>State</th><th>Began</th><th>Ended</th>${heads}</tr>${rows.join('')}</table>`;
}

function causes({ causes: groups }: Report): string {
  if (groups.length === 0) return '<h2>Causes</h2><p>Every device succeeded.</p>';
  const rows = groups.map(({ state, reason, count, devices }) => {
    const more = count > devices.length ? `, and ${count - devices.length} more` : '';
    return `<tr><td>${text(state)}</td><td>${text(reason ?? '')}</td><td class="n">${count}</td><td>${devices.map(text).join(', ')}${more}</td></tr>`;
  });
  return `<h2>Causes</h2><table><tr><th>State</th><th>Reason</th><th class="n">Devices</th><th>Which</th></tr>${rows.join('')}</table>`;
}

function persons({ needsPerson }: Report): string {
  if (needsPerson.length === 0) return '';
  const rows = needsPerson.map(
    ({ name, state, reason }) => `<tr><td>${text(name)}</td><td>${text(state)}</td><td>${text(reason ?? '')}</td></tr>`,
  );
  return `<h2>A person must look at these</h2><table><tr><th>Device</th><th>State</th><th>Reason</th></tr>${rows.join('')}</table>`;
}

const instant = (at: Date | null): string =>
  at === null ? 'not yet' : at.toISOString().replace('T', ' ').slice(0, 16) + ' UTC';

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3_600).toFixed(1)} h`;
}

function text(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
