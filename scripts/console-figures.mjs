/*
 * The table that `npm run test:console` prints: what its tests measured (`test/console/`, by `test/support/console/figures.ts`)
 * beside its limit.
 */

const ROWS = {
  B1: 'size of the first load and of each screen',
  B2: '50,000 devices',
  B3: '500 events a second',
  B4: 'accessible in each theme and width, by keyboard alone',
  B5: 'content policy, own origin only',
  B6: 'lists survive a reload and a link',
  B7: 'documented routes only',
  B8: 'a bulk action takes what was previewed, or nothing',
  B9: 'hostile texts are harmless',
  B10: 'a broken event stream is caught up',
  B11: 'clicks of each flow',
  B12: 'the demonstration',
  B13: '5,000 devices with a week of samples',
};

/**
 * Prints the rows, a line for each figure: of those that were taken several times, the worst. A test of a file that ran again has
 * written its figures in both runs; those of the last one count.
 * @returns the figures that fall short, a line each
 */
export function printFigures(figures) {
  const counted = ofLastRuns(figures);
  const short = [];
  console.log('');
  for (const [row, title] of Object.entries(ROWS)) {
    const own = counted.filter((figure) => figure.row === row);
    if (own.length === 0) {
      console.log(`${row.padEnd(4)} ${title}: not measured`);
      continue;
    }
    const over = own.filter(({ value, limit, isOnlyPrinted }) => !isOnlyPrinted && value > limit);
    const holds = over.length === 0;
    short.push(...over.map(({ what, value, limit }) => `  ${row} ${what}: ${value} (at most ${limit})`));
    console.log(`${row.padEnd(4)} ${title}: ${holds ? 'holds' : 'FALLS SHORT'}`);
    for (const what of new Set(own.map((figure) => figure.what))) {
      const same = own.filter((figure) => figure.what === what);
      const { value, limit } = same.reduce((worst, figure) =>
        figure.value - figure.limit > worst.value - worst.limit ? figure : worst,
      );
      console.log(
        `       ${what}: ${value} (at most ${limit})${same.length > 1 ? `, the worst of ${same.length}` : ''}`,
      );
    }
  }
  return short;
}

function ofLastRuns(figures) {
  const last = new Map(figures.map(({ test, run }) => [test, run]));
  return figures.filter(({ test, run }) => run === last.get(test));
}
