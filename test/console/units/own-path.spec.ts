import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Places that would leave the path of PUBLIC_URL. */
const OUTSIDE = [
  /(?:href|src|action)=(?:"|\{[`'"])\/(?!\/)/,
  /location\.origin/,
  /location\.(?:assign|replace)\([`'"]\//,
];

it('the console leads to the gateway by its own path alone', () => {
  const files = readdirSync('console/src', { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const wrong = files
    .filter((name) => name !== 'api/own-path.ts')
    .flatMap((name) => {
      const lines = readFileSync(`console/src/${name}`, 'utf8').split('\n');
      return lines.filter((line) => OUTSIDE.some((one) => one.test(line))).map((line) => `${name}: ${line.trim()}`);
    });
  expect([files.length > 100, wrong]).toEqual([true, []]);
});
