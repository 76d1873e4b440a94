import { expect, it } from 'vitest';
import { together } from '../../../console/src/api/names/together.js';

it('reads what is asked at once in groups, each id once, and says null of what is not known', async () => {
  const groups: (readonly string[])[] = [];
  const read = together(3, async (ids) => {
    groups.push(ids);
    return new Map(ids.filter((id) => id !== 'gone').map((id) => [id, id.toUpperCase()]));
  });
  expect(await Promise.all(['a', 'b', 'a', 'gone'].map(read))).toEqual(['A', 'B', 'A', null]);
  expect(groups).toEqual([['a', 'b'], ['gone']]);
  expect(await read('c')).toBe('C');
});

it('fails for all of a group whose request fails, and goes on', async () => {
  let fails = true;
  const read = together(10, async (ids) => {
    if (fails) throw new Error('away');
    return new Map(ids.map((id) => [id, id]));
  });
  const answers = await Promise.allSettled(['a', 'b'].map(read));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fails = false;
  expect(await read('a')).toBe('a');
});
