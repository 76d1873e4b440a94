import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PROJECT } from '../support/source/project.js';

interface Figure {
  row: string;
  what: string;
  value: number;
  limit: number;
  test: string | null;
  run: number;
  isOnlyPrinted?: boolean;
}

const { printFigures } = (await import(new URL('scripts/console-figures.mjs', PROJECT).href)) as {
  printFigures: (figures: Figure[]) => string[];
};

const figure = (changes: Partial<Figure>): Figure => ({
  row: 'B4',
  what: 'faults',
  value: 0,
  limit: 0,
  test: 'one',
  run: 1,
  ...changes,
});

let printed: string[];
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => vi.restoreAllMocks());

it('names what falls short, in its row and as a list', () => {
  expect(printFigures([figure({ value: 2 }), figure({ test: 'other', value: 1 })])).toEqual([
    '  B4 faults: 2 (at most 0)',
    '  B4 faults: 1 (at most 0)',
  ]);
  expect(printed.filter((line) => line.includes('FALLS SHORT'))).toHaveLength(1);
  expect(printed).toContain('       faults: 2 (at most 0), the worst of 2');
});

it('takes the last run of a test whose file ran again, and each figure outside of tests', () => {
  const tried = [figure({ value: 3 }), figure({ run: 2 })];
  expect(printFigures(tried)).toEqual([]);
  expect(printFigures([...tried, figure({ test: null, value: 1 })])).toHaveLength(1);
  expect(printFigures([figure({}), figure({ run: 2, value: 4 })])).toHaveLength(1);
});

it('only prints a time of a machine that may be slow', () => {
  expect(printFigures([figure({ row: 'B13', value: 1200, limit: 1000, isOnlyPrinted: true })])).toEqual([]);
  expect(printed).toContain('       faults: 1200 (at most 1000)');
});
