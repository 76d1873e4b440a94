import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/*
 * Words that almost always mark a sentence that a reader must decode. CONTRIBUTING.md says how we write instead.
 */

const WORDS = ['anew', 'meanwhile', 'whoever', 'nobody', 'somebody'];
const FOUND = new RegExp(`\\b(${WORDS.join('|')})\\b`, 'i');

/** `nobody` is also a user of Unix: there it stands alone between quotes. */
const UNIX_USER = /(['"`])nobody\1/g;

const CHECKED = ['bench', 'docs', 'faults', 'fuzz', 'scripts', 'src'];

function checkedFiles(): string[] {
  const pages = readdirSync('.').filter((name) => name.endsWith('.md'));
  const files = CHECKED.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(md|ts|mjs)$/.test(name))
      .map((name) => path.posix.join(folder, name.split(path.sep).join('/'))),
  );
  return [...pages, ...files];
}

function findWords(text: string): string[] {
  return text.split('\n').filter((line) => FOUND.test(line.replaceAll(UNIX_USER, '')));
}

describe('words', () => {
  it('that are hard to read occur in no checked file', () => {
    const files = checkedFiles();

    expect(files.length).toBeGreaterThan(300);
    expect(files.flatMap((file) => findWords(readFileSync(file, 'utf8')).map((line) => `${file}: ${line}`))).toEqual(
      [],
    );
  });

  it.each([
    ['Whoever has it reads it', true],
    ['a value sealed anew', true],
    ["runs as 'nobody' or `nobody`", false],
    ['renewed, and anyone', false],
  ])('are found in a line: %s', (line, isFound) => {
    expect(findWords(line).length > 0).toBe(isFound);
  });
});
