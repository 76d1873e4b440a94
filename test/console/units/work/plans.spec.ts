import { describe, expect, it } from 'vitest';
import { backupRuns, changesText, isChanged } from '../../../../console/src/screens/backups/backup-runs.js';
import { remedyOf } from '../../../../console/src/screens/monitoring/shown/remedies.js';
import { unsampledSelector } from '../../../../console/src/screens/monitoring/shown/collection-figures.js';
import { policyOutcome } from '../../../../console/src/screens/schedules/past-runs.js';
import { plansOf } from '../../../../console/src/screens/schedules/plans.js';
import { settingGroups } from '../../../../console/src/screens/system/setting-groups.js';

/* What runs by itself, what a run has made, and what helps against an alert. */

const work = {
  id: 's',
  name: 'Restart',
  enabled: true,
  orphaned: false,
  quarantinedAt: null,
  lastRunAt: null,
  rhythm: { everySeconds: 3_600 },
  nextRuns: ['2026-11-30T03:00:00Z', '2026-12-07T03:00:00Z'],
};
type Schedule = Parameters<typeof plansOf>[0][number];
type Policy = Parameters<typeof plansOf>[1][number];
const schedule = (more: object = {}) =>
  ({ ...work, rollout: { kind: 'reboot', selector: 'tag:kiosk' }, ...more }) as unknown as Schedule;
const policy = (more: object = {}) =>
  ({
    ...work,
    id: 'p',
    name: 'Nightly',
    selector: 'all',
    nextRuns: ['2026-11-29T00:30:00Z'],
    ...more,
  }) as unknown as Policy;

describe('what runs by itself', () => {
  it('is in the order of the next runs, whether a schedule or a backup policy starts it', () => {
    const plans = plansOf([schedule(), schedule({ id: 'x', name: 'Off', enabled: false })], [policy()]);
    expect(plans.map(({ name, kind }) => [name, kind])).toEqual([
      ['Nightly', 'backup'],
      ['Restart', 'reboot'],
      ['Off', 'reboot'],
    ]);
  });

  it('has no next run while it is stopped', () => {
    expect(plansOf([], [policy({ orphaned: true })])[0]).toMatchObject({ isStopped: true, nextRuns: [] });
  });
});

describe('the last run of a backup policy', () => {
  const at = '2026-11-29T00:30:00.000Z';
  const job = (outcome: string | null, createdAt = at, startedBy = 'system:backup-policy:p') =>
    ({ outcome, createdAt, startedBy }) as Parameters<typeof policyOutcome>[1][number];
  const ran = { id: 'p', lastRunAt: at, lastStarted: 2 };
  const before = job('failed', '2026-11-28T00:30:00.000Z');

  it.each([
    ['good', '2 of 2 backups made', [job('succeeded'), job('succeeded', '2026-11-29T00:29:59.990Z'), before]],
    ['warn', '1 of 2 backups made', [job('failed'), job('succeeded')]],
    ['busy', '1 of 2 backups made', [job(null), job('succeeded')]],
  ] as const)('is %s: %s', (tone, text, jobs) => {
    expect(policyOutcome(ran, jobs)).toEqual({ tone, text });
  });

  it('is not known where jobs of it were not read, and for one that has not run', () => {
    expect(policyOutcome(ran, [job('succeeded'), job('succeeded', at, 'system:backup-policy:q')])).toBeNull();
    expect(policyOutcome({ ...ran, lastRunAt: null, lastStarted: null }, [])).toBeNull();
  });
});

describe('backups of one run', () => {
  type Backup = Parameters<typeof backupRuns>[0][number];
  const backup = (id: string, deviceId: string, minute: number, sha256 = 'a', createdBy = 'system:backup-policy:p') =>
    ({
      id,
      deviceId,
      sha256,
      createdBy,
      createdAt: new Date(Date.UTC(2026, 10, 28, 2, 30 - minute)).toISOString(),
    }) as Backup;
  const night = ['1', '2', '3', '4'].map((id, at) => backup(id, id, at));

  it('are one row, and others of another author or time are not', () => {
    const rowsOf = (all: readonly Backup[], causeOf: (one: Backup) => string = () => '') =>
      backupRuns(all, causeOf).map((row) => ('backups' in row ? row.backups.length : row.id));
    expect(rowsOf([backup('x', '1', -60, 'a', 'key:ada'), ...night, backup('y', '1', 600)])).toEqual(['x', 4, 'y']);
    const mixed = [...night, ...['5', '6', '7', '8'].map((id, at) => backup(id, id, at))].toSorted((one, other) =>
      other.createdAt.localeCompare(one.createdAt),
    );
    expect(
      rowsOf(mixed, ({ id }) => (Number(id) > 4 ? 'rollout' : 'person')),
      'one run has one cause',
    ).toEqual([4, 4]);
  });

  it('say how many have the settings or the bytes of the one before', () => {
    const all = [...night, backup('5', '1', 600), backup('6', '2', 600, 'b')];
    expect(changesText(night, all)).toBe('1 unchanged, 1 with another file');
    expect(changesText(night, night)).toBe('');
    const [first, second] = night as [Backup, Backup];
    const opened = [
      { ...first, sameSettings: false },
      { ...second, sameSettings: true },
    ];
    expect(changesText(opened, opened), 'by their settings, where they were opened').toBe('1 unchanged, 1 changed');
    expect(opened.map((one) => isChanged(one, opened))).toEqual([true, false]);
  });
});

it.each([
  ['certificate<30d', 'Reissue'],
  ['state:offline', 'See why'],
  ['state:trust_changed', 'Compare certificates'],
  ['backup>26h', 'Back up'],
  ['rsrp<-110', 'See the values'],
  ['tag:pump', undefined],
  [null, undefined],
])('against the rule %s helps %s', (selector, text) => {
  expect(remedyOf(selector, 'id')?.text).toBe(text);
});

it('asks for the devices of all collections that have no new sample', () => {
  const on = { selector: 'all', everySeconds: 60, enabled: true };
  expect(unsampledSelector([on, { ...on, enabled: false }, { ...on, selector: null }])).toBe(
    '((all) & !((all) & state:online & sample<300s))',
  );
});

it('puts settings under headings, and none is lost', () => {
  const groups = settingGroups(['PORT', 'AUDIT_ORIGIN', 'SOMETHING_NEW'].map((name) => ({ name })));
  expect(groups.map(([title, own]) => [title, own.length])).toEqual([
    ['Process and addresses', 1],
    ['Audit', 1],
    ['Others', 1],
  ]);
});
