import { expect, it } from 'vitest';
import { scoreOf } from '../../../../console/src/shell/palette/ranking.js';

const ranked = (typed: string, ...texts: string[]) =>
  texts
    .filter((text) => scoreOf(typed, text) > 0)
    .toSorted((one, other) => scoreOf(typed, other) - scoreOf(typed, one));

it('has the exact text first, then what begins with it, has it as a word, has it, and has its letters', () => {
  const texts = ['v-p-u-m-p', 'repumped', 'vilnius-pump-01', 'pump-2', 'Pump', 'kiosk'];
  expect(ranked('pump', ...texts)).toEqual(['Pump', 'pump-2', 'vilnius-pump-01', 'repumped', 'v-p-u-m-p']);
  expect(ranked('vlnpump', 'kaunas-pump', 'vilnius-pump-01')).toEqual(['vilnius-pump-01']);
  expect(ranked('vp', 'vilnius-pump-01')).toEqual([]);
});

it('takes other words for less than the name, and everything where nothing is typed', () => {
  expect(scoreOf('csv', 'Import devices', 'csv file')).toBeGreaterThan(0);
  expect(scoreOf('csv', 'csv')).toBeGreaterThan(scoreOf('csv', 'Import devices', 'csv'));
  expect(scoreOf('', 'anything')).toBeGreaterThan(0);
  expect(scoreOf('x', '')).toBe(0);
});
