import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PROJECT } from './support/source/project.js';

/* THREATS.md is a claim with proofs: each requirement of the standard is spoken of once, and each proof is there. */

/** OWASP ASVS 5.0.0: the requirements of levels 1 and 2, by section and the numbers in it. */
const STANDARD =
  'V1.1:1-2 V1.2:1-9 V1.3:1-11 V1.4:1-3 V1.5:1-2 V2.1:1-3 V2.2:1-3 V2.3:1-4 V2.4:1-1 V3.2:1-2 V3.3:1-4 V3.4:1-6 ' +
  'V3.5:1-5 V3.7:1-2 V4.1:1-3 V4.2:1-1 V4.3:1-2 V4.4:1-4 V5.1:1-1 V5.2:1-3 V5.3:1-2 V5.4:1-3 V6.1:1-3 V6.2:1-12 ' +
  'V6.3:1-4 V6.4:1-4 V6.5:1-5 V6.6:1-3 V6.8:1-4 V7.1:1-3 V7.2:1-4 V7.3:1-2 V7.4:1-5 V7.5:1-2 V7.6:1-2 V8.1:1-2 ' +
  'V8.2:1-3 V8.3:1-1 V8.4:1-1 V9.1:1-3 V9.2:1-4 V10.1:1-2 V10.2:1-2 V10.3:1-4 V10.4:1-11 V10.5:1-5 V10.6:1-2 ' +
  'V10.7:1-3 V11.1:1-2 V11.2:1-3 V11.3:1-3 V11.4:1-4 V11.5:1-1 V11.6:1-1 V12.1:1-3 V12.2:1-2 V12.3:1-4 V13.1:1-1 ' +
  'V13.2:1-5 V13.3:1-2 V13.4:1-5 V14.1:1-2 V14.2:1-4 V14.3:1-3 V15.1:1-3 V15.2:1-3 V15.3:1-7 V16.1:1-1 V16.2:1-5 ' +
  'V16.3:1-4 V16.4:1-3 V16.5:1-3 V17.1:1-1 V17.2:1-4 V17.3:1-2';

const root = PROJECT;
const text = readFileSync(new URL('THREATS.md', root), 'utf8');
const rows = text.split('\n').filter((line) => /^\| V\d/.test(line));
const cells = (row: string) => row.split('|').map((cell) => cell.trim());
const numbersOf = (row: string) => cells(row)[1]!.split(', ');

function required(): string[] {
  return STANDARD.split(' ').flatMap((part) => {
    const [section, range] = part.split(':') as [string, string];
    const [first, last] = range.split('-').map(Number) as [number, number];
    return Array.from({ length: last - first + 1 }, (_, index) => `${section}.${first + index}`);
  });
}

describe('the checklist of THREATS.md', () => {
  it('speaks of every requirement of levels 1 and 2, once', () => {
    expect(required()).toHaveLength(253);
    const spoken = rows.flatMap(numbersOf);
    expect(spoken.filter((number, index) => spoken.indexOf(number) !== index)).toEqual([]);
    expect([...spoken].sort()).toEqual(required().sort());
  });

  it('names a proof that is there for each that is met', () => {
    const proven = text.slice(text.indexOf('### Proven'), text.indexOf('### Not applicable')).split('\n');
    const claims = proven.filter((line) => /^\| V\d/.test(line));
    expect(claims.length).toBeGreaterThan(50);
    for (const claim of claims) {
      const proof = cells(claim)[3]!;
      expect([
        proof,
        /^test\/[\w/.-]+\.spec\.ts$/.test(proof) && existsSync(fileURLToPath(new URL(proof, root))),
      ]).toEqual([proof, true]);
    }
  });
});
