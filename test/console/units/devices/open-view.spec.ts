import { expect, it } from 'vitest';
import { openOwn, openShared, openViewOf, withView } from '../../../../console/src/screens/devices/views/open-view.js';

const AWAY = { name: 'away', search: { selector: 'state=offline', sort: '-seen' } };
const SHARED = ['north'];

it('knows the view that an address names, and whether it was changed', () => {
  const own = openOwn(AWAY);
  expect(openViewOf(own, [AWAY], SHARED)).toEqual({ isShared: false, name: 'away', isChanged: false });
  expect(openViewOf({ ...own, sort: 'name' }, [AWAY], SHARED)).toMatchObject({ name: 'away', isChanged: true });
  const shared = openShared('north');
  expect(openViewOf(shared, [AWAY], SHARED)).toEqual({ isShared: true, name: 'north', isChanged: false });
  expect(openViewOf({ ...shared, q: 'pump' }, [AWAY], SHARED)).toMatchObject({ name: 'north', isChanged: true });
});

it('does not count order and columns as a change of a shared view, nor the order by name as one of any', () => {
  expect(openViewOf({ ...openShared('north'), sort: '-seen' }, [], SHARED)).toMatchObject({ isChanged: false });
  const plain = { name: 'plain', search: { selector: 'tag:a' } };
  expect(openViewOf({ selector: 'tag:a', sort: 'name' }, [plain], [])).toMatchObject({
    name: 'plain',
    isChanged: false,
  });
});

it('finds the view that shows the same, and none in a list that no view shows', () => {
  expect(openViewOf({ selector: '@north' }, [AWAY], SHARED)).toMatchObject({ name: 'north' });
  expect(openViewOf({ selector: 'tag:b' }, [AWAY], SHARED)).toBeNull();
  expect(openViewOf({ selector: 'tag:b', view: 'own removed' }, [AWAY], SHARED)).toBeNull();
});

it('saves a view in the place of that of its name', () => {
  expect(withView([AWAY], 'away', { selector: 'tag:c', row: '40' })).toEqual([
    { name: 'away', search: expect.objectContaining({ selector: 'tag:c' }) as object },
  ]);
  expect(withView([AWAY], 'new', { q: 'x' }).map(({ name }) => name)).toEqual(['away', 'new']);
});
