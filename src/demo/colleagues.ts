import { ApiClient } from '../api-client/api-client.js';

/* Who else works with the demo's gateway: people with roles of their own, a program with a key, and what is locked for a time. */

/** A role with a rule that denies. */
const NIGHT_SHIFT = {
  description: 'Looks after the routers in Lithuania at night; firmware waits for the day',
  rules: [
    {
      effect: 'allow' as const,
      permissions: ['device.read', 'device.call_read', 'device.call_write', 'job.read', 'job.start'],
      selector: 'tag:lt',
    },
    {
      effect: 'deny' as const,
      permissions: ['device.call_write'],
      devices: { api: { '/firmware/*': ['write' as const] } },
    },
  ],
};

const PEOPLE = [
  { name: 'Jonas', role: 'night-shift' },
  { name: 'Marta', role: 'viewer' },
  { name: 'Monthly report', role: 'auditor' },
];

/** The program acts by a key; the first person is on leave. */
const PROGRAM = 2;
const ON_LEAVE = 0;

const DAY_MS = 86_400_000;
const KEY_DAYS = 80;
const LOAN_DAYS = 6;
const LEAVE_DAYS = 12;

const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

/**
 * Adds them. A second run adds only what the first one left nothing of: locks are lifted at its begin.
 * @param url of the gateway
 * @param locked the device that is on loan
 */
export async function addColleagues(api: ApiClient, url: string, locked: string): Promise<void> {
  await api.put('/v1/roles/{name}', { params: { path: { name: 'night-shift' } }, body: NIGHT_SHIFT });
  const { items } = await api.get('/v1/operators');
  const ids: string[] = [];
  for (const body of PEOPLE) {
    const known = items.find(({ name }) => name === body.name);
    ids.push((known ?? (await api.post('/v1/operators', { body }))).id);
    if (known || body !== PEOPLE[PROGRAM]) continue;
    const issued = { operatorId: ids[PROGRAM]!, name: 'report server', expiresAt: inDays(KEY_DAYS) };
    const { key } = await api.post('/v1/api-keys', { body: issued });
    await new ApiClient({ url, key }).get('/v1/self');
  }
  const locks = await api.get('/v1/locks');
  if (locks.items.length > 0) return;
  const loan = { kind: 'device' as const, target: locked, reason: 'On loan for the trade fair' };
  await api.post('/v1/locks', { body: { ...loan, endsAt: inDays(LOAN_DAYS) } });
  const leave = { kind: 'operator' as const, target: ids[ON_LEAVE]!, reason: 'On leave' };
  await api.post('/v1/locks', { body: { ...leave, endsAt: inDays(LEAVE_DAYS) } });
}
