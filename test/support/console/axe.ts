import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Axe puts them under `cat.color`; the third one there, for 7 : 1, is off unless it is asked for. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** `colours`: the rules that look at colours, of those that axe runs unless told otherwise. */
export type Rules = 'all' | 'colours';

/** What a modal dialog covers is out of reach. The test of its screen looks at it. */
const IN_SIGHT = `[...document.querySelectorAll('dialog:modal')].at(-1) ?? document`;

/** @returns a line for each rule of axe that a page breaks, with the first element */
export async function violationsOf(page: Page, rules: Rules = 'all'): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules === 'colours' ? { runOnly: OF_COLOURS } : {}) };
  const found = await page.evaluate<Violation[]>(
    `axe.run(${IN_SIGHT}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`);
}
