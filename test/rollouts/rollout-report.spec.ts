import { describe, expect, it } from 'vitest';
import { type Report, type ReportDevice, reportPage } from '../../src/rollouts/reports/report-page.js';
import { NO_TARGETS } from '../../src/rollouts/state/rollout-state.js';

const STARTED = new Date('2026-11-20T23:00:12Z');
const MADE = new Date('2026-11-21T07:12:00Z');

const counts = { ...NO_TARGETS, waiting: 4402, succeeded: 20, failed: 6, unknown: 1, skipped: 1 };

/** A rollout that has stopped in its second wave. */
const STOPPED: Report = {
  id: '0b0f3a0e-3c51-4f5b-9a30-0d2b5f6e7a11',
  name: 'firmware 07.17.3',
  kind: 'firmware',
  selector: 'tag:pump & firmware<07.17.3',
  state: 'paused',
  pause: { cause: 'error_threshold', sentence: '6 of 26 devices failed (23.1 %), and 15 % stop this rollout.' },
  createdByName: 'Ada <ada@example.org>',
  approvedByName: null,
  reason: null,
  startedAt: STARTED,
  endedAt: null,
  madeAt: MADE,
  total: 4430,
  counts,
  waves: [
    { name: 'lab', state: 'passed', startedAt: STARTED, endedAt: MADE, counts: { ...NO_TARGETS, succeeded: 10 } },
    { name: 'rest', state: 'waiting', startedAt: null, endedAt: null, counts: { ...NO_TARGETS, waiting: 4402 } },
  ],
  times: { totalSeconds: 5_040, perDevice: { p50: 41.2, p90: 540, max: 7_200 } },
  causes: [
    { state: 'waiting', reason: null, count: 4402, devices: ['pump-1', 'pump-2'] },
    { state: 'failed', reason: 'came_back_old', count: 6, devices: ['pump-3'] },
    { state: 'unknown', reason: 'never_came_back', count: 1, devices: ['pump-9'] },
    { state: 'skipped', reason: 'device_has_no_credentials', count: 1, devices: ['<b>pump</b>'] },
  ],
  needsPerson: [
    { deviceId: 'a', name: 'pump-9', state: 'unknown', reason: 'never_came_back' },
    { deviceId: 'b', name: 'pump-3', state: 'failed', reason: 'came_back_old' },
  ],
};

const DEVICES: readonly ReportDevice[] = [
  {
    name: 'pump-9',
    wave: 2,
    state: 'unknown',
    reason: 'never_came_back',
    beganAt: STARTED,
    endedAt: MADE,
    firmwareBefore: 'RUTX_R_00.07.16.3',
    firmware: null,
  },
  {
    name: '<i>pump-1',
    wave: 1,
    state: 'succeeded',
    reason: null,
    beganAt: STARTED,
    endedAt: MADE,
    firmwareBefore: 'RUTX_R_00.07.16.3',
    firmware: 'RUTX_R_00.07.17.3',
  },
];

const page = (report: Report) => reportPage(report, { devices: DEVICES, font: '' });

/** What a reader sees: without style and tags, line by line. */
function read(report: Report): string[] {
  const shown = page(report).replace(/<style>.*<\/style>/s, '');
  const lines = shown.replaceAll(/<\/(tr|h1|h2|p|li|footer|title)>/g, '\n').replaceAll(/<\/t[hd]>/g, ' | ');
  return lines.split('\n').map((line) => line.replaceAll(/<[^>]*>/g, '').trim());
}

describe('the page of a report', () => {
  it('says first how far it is and why it stopped', () => {
    const lines = read(STOPPED).filter((line) => line !== '');
    expect(lines.slice(0, 5)).toEqual([
      'firmware 07.17.3: rollout report',
      'The rollout in the console',
      'firmware 07.17.3',
      'This rollout is paused. 20 of 4430 devices succeeded.',
      'Why it is paused: 6 of 26 devices failed (23.1 %), and 15 % stop this rollout.',
    ]);
  });

  it('shows in the bar what is done before what is to come, and each state in words', () => {
    const [, words] = /role="img" aria-label="([^"]*)"/.exec(page(STOPPED))!;
    expect(words).toBe('20 succeeded, 6 failed, 1 unknown, 4402 waiting, 1 skipped');
  });

  it('groups failures by cause, apart from devices that are to come or take no part', () => {
    const lines = read(STOPPED);
    const after = (title: string) => lines.slice(lines.indexOf(title) + 2);
    expect(after('Failures by cause').slice(0, 2)).toEqual([
      'Failed | It came back with the firmware that it had | 6 | pump-3, 5 more |',
      'Unknown | It did not come back | 1 | pump-9 |',
    ]);
    expect(after('Other devices').slice(0, 2)).toEqual([
      'Waiting |  | 4402 | pump-1, pump-2, 4400 more |',
      'Skipped | No credentials are stored for this device | 1 | &lt;b&gt;pump&lt;/b&gt; |',
    ]);
  });

  it('names the devices that need a person, and says how many it does not name', () => {
    const lines = read(STOPPED);
    expect(lines.slice(lines.indexOf('A person must look at these') + 2)).toEqual(
      expect.arrayContaining(['pump-9 | Unknown | It did not come back |', '5 more are not listed here.']),
    );
  });

  it('says of a rollout in which all went well that no device failed, and nothing of persons', () => {
    const all = { ...NO_TARGETS, succeeded: 20 };
    const lines = read({
      ...STOPPED,
      state: 'finished',
      pause: null,
      total: 20,
      counts: all,
      causes: [],
      needsPerson: [],
    });
    expect(lines).toContain('No device failed.');
    expect(lines.join('\n')).not.toMatch(/Why it is paused|Other devices|A person must/);
  });

  it('leads back to the rollout, and names firmware only where it was about firmware', () => {
    expect(page(STOPPED)).toContain(`<a href="../../../console/rollouts/${STOPPED.id}">`);
    expect(read({ ...STOPPED, kind: 'reboot' }).join('\n')).not.toContain('07.16.3');
  });

  it('has each device with its result, its time and what went wrong, and says how many it does not name', () => {
    const lines = read(STOPPED);
    expect(lines.slice(lines.indexOf('Devices') + 2, lines.indexOf('Devices') + 5)).toEqual([
      'pump-9 | Unknown | 2 | 2026-11-21 07:12 | 8 h | 07.16.3 | It did not come back |',
      '&lt;i&gt;pump-1 | Succeeded | 1 | 2026-11-21 07:12 | 8 h | 07.16.3 → 07.17.3 |  |',
      '4428 more are in the report as CSV.',
    ]);
  });

  it('holds no markup of others', () => {
    expect(page(STOPPED)).not.toMatch(/<b>|<ada|<script/);
    expect(read(STOPPED)).toContain('Made by | Ada &lt;ada@example.org&gt; |');
  });
});
