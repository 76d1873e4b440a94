import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

/**
 * Compares a text with the file of that name in test/output. After a change that is meant, run the test once with
 * UPDATE_OUTPUT=1, read the difference, and commit it.
 */
export function expectGolden(name: string, text: string): void {
  const file = path.join('test', 'output', name);
  if (process.env['UPDATE_OUTPUT'] === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
}
