import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/* What the image is built from, checked without Docker. */

const TRACKED = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n');

/** Sources of `COPY` that come from the folder, not from another stage. */
function copiedSources(dockerfile: string): string[] {
  return dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^\s*(COPY|ADD)\s/i.test(line) && !/\s--from=/i.test(line))
    .flatMap((line) =>
      line
        .trim()
        .split(/\s+/)
        .slice(1, -1)
        .filter((word) => !word.startsWith('--')),
    );
}

/** Whether a file reaches the builder: the last rule that matches the file or a folder above it decides. */
function passes(file: string, dockerignore: string): boolean {
  let isSent = true;
  for (const line of dockerignore.split('\n')) {
    const rule = line.trim();
    if (rule === '' || rule.startsWith('#')) continue;
    const pattern = rule.replace(/^!/, '').replace(/^\/|\/$/g, '');
    if (pattern !== '*' && /[*?[\\]/.test(pattern)) throw new Error(`this test does not read the pattern ${rule}`);
    if (pattern === '*' || file === pattern || file.startsWith(`${pattern}/`)) isSent = rule.startsWith('!');
  }
  return isSent;
}

/** Names that a build needs and does not get: nothing is tracked there, or a tracked file does not pass. */
function missing(names: readonly string[], dockerignore: string, tracked = TRACKED): string[] {
  return names.filter((name) => {
    const files = tracked.filter((file) => file === name || file.startsWith(`${name}/`));
    return files.length === 0 || !files.every((file) => passes(file, dockerignore));
  });
}

const DOCKERFILE = readFileSync('Dockerfile', 'utf8');
const DOCKERIGNORE = readFileSync('.dockerignore', 'utf8');

it('sends every source of a COPY to the builder', () => {
  const sources = copiedSources(DOCKERFILE);
  expect(sources).toContain('console');
  expect(missing(sources, DOCKERIGNORE)).toEqual([]);
});

it('copies everything that the build depends on', () => {
  const [, list] = /const SOURCES = \[([^\]]+)\]/.exec(readFileSync('scripts/ensure.mjs', 'utf8')) ?? [];
  const needed = [...list!.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
  expect(needed.length).toBeGreaterThan(5);
  const copied = copiedSources(DOCKERFILE);
  expect(needed.filter((name) => !copied.some((at) => name === at || name.startsWith(`${at}/`)))).toEqual([]);
});

it.each<[rules: string, name: string, isMissing: boolean]>([
  ['*\n!src', 'src', false],
  ['*\n!src', 'console', true],
  ['*\n!src\n!console', 'console', false],
  ['*\n!console/src', 'console', true],
  ['*\n!console\nconsole/src', 'console', true],
  ['# *\n', 'console', false],
  ['', 'console', false],
  ['*\n!src/', 'src', false],
  ['*\n!/src', 'src', false],
  ['!src\n*', 'src', true],
  ['*\n!src', 'src/main.ts', false],
  ['*\n!sr', 'src', true],
  ['', 'no-such-folder', true],
])('reads %j: %s is missing: %s', (rules, name, isMissing) => {
  const tracked = ['src/main.ts', 'console/index.html', 'console/src/main.tsx'];
  expect(missing([name], rules, tracked)).toEqual(isMissing ? [name] : []);
});
