import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JOB_KINDS } from '../../../src/jobs/kinds/index.js';
import { KIND_CASES } from '../../support/jobs/kind-cases.js';
import { PROJECT } from '../../support/source/project.js';

const KINDS_FOLDER = new URL('src/jobs/kinds/', PROJECT);

/** Names that the source files declare kinds with. */
const declared = readdirSync(KINDS_FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(new URL(file, KINDS_FOLDER), 'utf8'))
  .flatMap((text) => [...text.matchAll(/= defineKind<[^(]*>\(\{\s*name: '([a-z]+)'/g)].map(([, name]) => name!));

describe('every kind of job', () => {
  it('is known to the engine', () => {
    expect(declared.length).toBeGreaterThan(5);
    expect([...JOB_KINDS.keys()].sort()).toEqual([...declared].sort());
  });

  it('is held to the short form of the laws (test/jobs/laws/laws.spec.ts)', () => {
    expect(KIND_CASES.map(({ kind }) => kind)).toEqual([...JOB_KINDS.keys()].sort());
  });

  it.each([...JOB_KINDS.keys()])('is held to the laws of test/support/jobs/kind-laws.ts: %s', (kind) => {
    const file = new URL(`test/jobs/laws/${kind}-laws.nightly.spec.ts`, PROJECT);
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain(`describeLaws('${kind}');`);
  });

  it.each([...JOB_KINDS.keys()])('stands in the documents with its ends: %s', (kind) => {
    const documents = readFileSync(new URL('docs/reference/job-kinds.md', PROJECT), 'utf8');
    expect(documents).toContain(`## \`${kind}\`: `);
  });
});
