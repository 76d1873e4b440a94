import { expect, it } from 'vitest';
import { notedName } from '../../../../console/src/screens/audit/entry-act.js';
import { entryGroups } from '../../../../console/src/screens/audit/entry-groups.js';

/* Entries of one work as one row of the log. */

type Entry = Parameters<typeof entryGroups>[0][number];

let count = 0;
const entry = (given: Partial<Entry>): Entry => ({
  id: `e${count++}`,
  sequence: count,
  openedAt: '2026-11-28T10:00:00Z',
  closedAt: null,
  action: 'device.call_write',
  outcome: 'succeeded',
  actor: 'operator:1',
  actorName: 'Ada',
  requestId: null,
  address: null,
  reason: null,
  deviceId: null,
  jobId: null,
  operationId: null,
  subject: '',
  facts: {},
  result: {},
  ...given,
});

const job = (of: string, outcome: Entry['outcome'], reason: string | null = 'rollout autumn'): Entry[] => {
  const own = { jobId: of, deviceId: `device ${of}`, reason };
  const end = outcome === null ? [] : [entry({ ...own, action: 'job.end', outcome, facts: { kind: 'firmware' } })];
  return [...end, entry(own), entry({ ...own, action: 'job.start', facts: { kind: 'firmware' } })];
};

const said = (entries: readonly Entry[]) => entryGroups(entries).map(({ text, outcome }) => [text, outcome]);

it('joins the jobs of a rollout in words, with what came of each', () => {
  const login = entry({ action: 'login.succeed' });
  const entries = [...job('a', 'succeeded'), login, ...job('b', 'failed'), ...job('c', 'succeeded')];
  expect(said(entries)).toEqual([
    ['started firmware updates on 3 devices: 2 succeeded, 1 failed', 'failed'],
    [null, 'succeeded'],
  ]);
});

it('leaves a job alone that is of no rollout, and says of one that it still runs', () => {
  expect(said([...job('a', null, null), ...job('b', 'succeeded', null)])).toEqual([
    ['started a firmware update', null],
    ['updated the firmware', 'succeeded'],
  ]);
});

it('joins the writes of a fan-out, and not those of two people', () => {
  const call = (device: string, outcome: Entry['outcome']) => entry({ operationId: 'f', deviceId: device, outcome });
  expect(said([call('a', 'succeeded'), call('b', 'refused')])).toEqual([
    ['sent calls to 2 devices: 1 succeeded, 1 refused', 'refused'],
  ]);
  const other = job('b', 'succeeded').map((one) => ({ ...one, actor: 'operator:2' }));
  expect(said([...job('a', 'succeeded'), ...other])).toHaveLength(2);
});

it('folds equal acts of one person in a row, and no others', () => {
  const login = (actor: string) => entry({ action: 'login.succeed', actor });
  const entries = [
    login('ada'),
    login('ada'),
    login('bo'),
    login('ada'),
    entry({ action: 'login.fail', actor: 'ada' }),
  ];
  expect(said(entries)).toEqual([
    ['2 × Signed in', 'succeeded'],
    [null, 'succeeded'],
    [null, 'succeeded'],
    [null, 'succeeded'],
  ]);
});

it('folds calls that do the same on a device, in the words of what they do', () => {
  const call = (subject: string) => entry({ subject, deviceId: 'a' });
  const restart = call('POST /api/system/actions/reboot');
  expect(said([restart, { ...restart, id: 'r2' }, { ...restart, id: 'r3' }, call('PUT /api/ntp/global')])).toEqual([
    ['3 × Restarted', 'succeeded'],
    [null, 'succeeded'],
  ]);
});

it('calls what an entry is about by its name, by what it was, and never by an id', () => {
  const requests = [{ method: 'POST', path: '/api/system/actions/reboot' }];
  const named = (subject: string, facts: Entry['facts']) => notedName(entry({ subject, facts }));
  expect(named('rollout:1', { name: 'autumn' })).toBe('autumn');
  expect(named('job:1', { kind: 'backup' })).toBe('Backup');
  expect(named('lock:1', { kind: 'operator', reason: 'On leave' })).toBe('“On leave”');
  expect(named('fanout:1', { requests, devices: 2 })).toBe('to restart 2 devices');
  expect(named('approval:1', { action: 'device.call_write', summary: { requests }, devices: 25 })).toBe(
    'to restart 25 devices',
  );
  expect(named('operator:1', { after: [] })).toBeUndefined();
});
