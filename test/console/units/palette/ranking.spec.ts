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
  expect(ranked('kisok', 'Back up devices without a backup')).toEqual([]);
});

it('takes other words for less than the name, and everything where nothing is typed', () => {
  expect(scoreOf('csv', 'Import devices', 'csv file')).toBeGreaterThan(0);
  expect(scoreOf('csv', 'csv')).toBeGreaterThan(scoreOf('csv', 'Import devices', 'csv'));
  expect(scoreOf('', 'anything')).toBeGreaterThan(0);
  expect(scoreOf('x', '')).toBe(0);
});

it('takes each word alone, in any order, and two words for one', () => {
  expect(ranked('policy backup', 'New backup policy', 'New rule')).toEqual(['New backup policy']);
  expect(ranked('restore a backup', 'Back up north', 'Restore a stored backup')).toEqual(['Restore a stored backup']);
  expect(ranked('back up', 'Backups', 'Feedback')).toEqual(['Backups']);
  expect(ranked('backup', 'Back up devices', 'Restart')).toEqual(['Back up devices']);
  expect(scoreOf('nightly schedule', 'Add a schedule', 'nightly every night')).toBeGreaterThan(0);
  expect(scoreOf('nightly rollout', 'Add a schedule', 'nightly every night')).toBe(0);
});

it('allows one swapped or one wrong letter from four letters on, for less than the right word', () => {
  expect(ranked('kisok', 'Access', 'kiosk-3')).toEqual(['kiosk-3']);
  expect(scoreOf('kisok', 'Access', 'operators roles keys sessions locks')).toBe(0);
  expect(scoreOf('firnware', 'Upload firmware')).toBeGreaterThan(0);
  expect(scoreOf('firmware', 'Upload firmware')).toBeGreaterThan(scoreOf('firnware', 'Upload firmware'));
  expect(['kso', 'kisko', 'dump', 'pumpx'].map((typed) => scoreOf(typed, 'kiosk pump'))).toEqual([0, 0, 0, 0]);
});
