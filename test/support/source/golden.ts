import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';

/**
 * Compares a text with the file of that name in test/output. After a change that is meant, run the test once with
 * UPDATE_OUTPUT=1, read the difference, and commit it.
 */
export function expectGolden(name: string, text: string): void {
  const file = fileOf(name);
  if (process.env['UPDATE_OUTPUT'] === '1') {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
}

export const readGolden = (name: string): string => readFileSync(fileOf(name), 'utf8');

const fileOf = (name: string): string => path.join('test', 'output', name);
