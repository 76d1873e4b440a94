import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** @returns a line for each rule of axe that a page breaks, with the first element */
export async function violationsOf(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(AXE);
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations)`,
  );
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')} ${nodes[0]?.failureSummary}`);
}
