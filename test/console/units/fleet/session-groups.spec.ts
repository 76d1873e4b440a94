import { expect, it } from 'vitest';
import { sessionLines } from '../../../../console/src/screens/access/sessions/session-groups.js';

/* Equal sessions of a person as one row. */

const session = (id: string, more: object = {}) => ({
  id,
  operatorId: 'ada',
  operatorName: 'Ada',
  way: 'password' as const,
  madeAt: '2026-11-29T00:30:00Z',
  endsAt: '2026-11-29T12:30:00Z',
  secondFactorAt: null,
  address: '192.0.2.1',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0',
  lastSeenAt: '2026-11-29T00:30:00Z',
  lastSeenAddress: '192.0.2.1',
  current: false,
  ...more,
});

const NONE: ReadonlySet<string> = new Set();

it('are folded from three on, and opened one by one', () => {
  const list = ['a', 'b', 'c'].map((id) => session(id));
  const [head, ...rest] = sessionLines(list, NONE);
  expect([head, rest]).toMatchObject([{ session: { id: 'a' }, count: 3 }, []]);
  const opened = sessionLines(list, new Set([head!.key]));
  expect(opened.map(({ session: { id }, count, isInside }) => [id, count, isInside])).toEqual([
    ['a', 3, false],
    ['a', 1, true],
    ['b', 1, true],
    ['c', 1, true],
  ]);
  expect(new Set(opened.map(({ key }) => key)).size).toBe(4);
});

it.each([
  ['of two', [session('a'), session('b')]],
  ['of this browser', [session('a', { current: true }), session('b'), session('c')]],
  ['from other addresses', [session('a'), session('b'), session('c', { lastSeenAddress: '192.0.2.2' })]],
  ['of other people', [session('a'), session('b'), session('c', { operatorId: 'edith' })]],
  ['of other browsers', [session('a'), session('b'), session('c', { userAgent: 'curl/8.0' })]],
  ['by another way', [session('a'), session('b'), session('c', { way: 'oidc' as const })]],
])('stand alone %s', (_, list) => {
  expect(sessionLines(list, NONE).map(({ session: { id } }) => id)).toEqual(list.map(({ id }) => id));
});
