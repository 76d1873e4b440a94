import { expect, it } from 'vitest';
import { casesOf } from '../support/forms.js';
import { growthOf, patternsOf } from '../support/source/regular-expressions.js';

/*
 * A pattern that takes more than linear time for some text stops the event loop for seconds, and devices and callers choose
 * the text. So each pattern of the sources is measured, but for those below, which no text from outside meets.
 */

/** File and pattern, and why it is not measured. */
const NOT_MEASURED: Readonly<Record<string, string>> = {
  "src/device-api/redaction.ts new RegExp(SECRET_SHAPES.map(({ source }) => source).join('|'))":
    'is one of several patterns, each of which is measured',
  'src/http/http-server.ts new RegExp(`^${source}/?$`)': 'is built of a route of ours, part by part between slashes',
  'src/simulator/router.ts new RegExp(source)': 'is built of a route of the simulator, part by part between slashes',
};

/** Built of lengths that are fixed; in a checkpoint, behind one name that ends with its line. */
const FIXED = /^src\/(auth\/rights\/key-format|merkle-log\/checkpoint)\.ts new RegExp\(/;

it('takes linear time in every pattern that meets text from outside', () => {
  const left = new Set(Object.keys(NOT_MEASURED));
  const wrong: string[] = [];
  const measured = new Set<string>();
  for (const { place, text, pattern } of patternsOf('src')) {
    const name = `${place.slice(0, place.indexOf('#'))} ${text}`;
    if (FIXED.test(name) || name in NOT_MEASURED) {
      left.delete(name);
      continue;
    }
    if (measured.has(text)) continue;
    measured.add(text);
    const { isLinear, worst } = pattern ? growthOf(pattern) : { isLinear: false, worst: 'it is built at run time' };
    if (!isLinear) wrong.push(`${name}: ${worst}`);
  }
  expect(wrong).toEqual([]);
  expect([...left]).toEqual([]); // a reason for a pattern that is gone
});

const SLOW = [
  ['an address without an end', /:\/\/[^\s/]*:[^\s/]*@/],
  ['a word with a dot again and again', /(\b[\w.-]*(?:secret|token)\s*[:=])/g],
  ['figures that are not at the end', /\d+$/],
] as const;
it.each(casesOf(SLOW, 1))('would find a pattern that is not: %s', (_what, pattern) => {
  expect(growthOf(pattern).isLinear).toBe(false);
});
