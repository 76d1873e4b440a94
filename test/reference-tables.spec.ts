import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REFERENCE_TABLES, withTable } from './support/source/reference-tables.js';

/* `npm run docs` writes the tables. */

describe('the tables of docs/reference', () => {
  it.each(REFERENCE_TABLES)('are those of the code: $name', async (table) => {
    const text = readFileSync(table.page, 'utf8');
    expect(text).toBe(await withTable(text, table));
  });

  it.each(REFERENCE_TABLES)('have a row for each of them, with a description: $name', async ({ rows, head }) => {
    const all = await rows();
    expect(all.length).toBeGreaterThan(5);
    for (const cells of all) {
      expect(cells).toHaveLength(head.length);
      expect(cells.filter((cell) => /[a-z] [a-z]/.test(cell))).not.toEqual([]);
    }
  });
});
