import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { casesOf } from '../support/forms.js';

/* `scripts/check-migrations.mjs` in a repository of its own, with two migrations in the commit on which the work is based. */

const [FIRST, SECOND, THIRD] = ['20260101-1000-one.ts', '20260101-1100-two.ts', '20260101-1200-three.ts'];
const SCRIPTS = ['base-commit.mjs', 'check-migrations.mjs'];

let folder: string;
const at = (name: string) => path.join(folder, name);
const write = (name: string, content: string) => writeFileSync(at(`migrations/${name}`), content);
const remove = (name: string) => rmSync(at(`migrations/${name}`));
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...args], {
    cwd: folder,
    stdio: 'pipe',
  });
const commit = () => {
  git('add', '--all');
  git('commit', '--quiet', '--no-verify', '--allow-empty', '--message', 'work');
};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'fleetgate-frozen-'));
  for (const made of ['migrations', 'scripts']) mkdirSync(at(made));
  for (const script of SCRIPTS) cpSync(`scripts/${script}`, at(`scripts/${script}`));
  writeFileSync(at('CHANGELOG.md'), '# Changelog\n\n## Unreleased\n');
  for (const name of [FIRST, SECOND, 'index.ts']) write(name, `// ${name}\n`);
});
afterEach(() => rmSync(folder, { recursive: true }));

function check() {
  const { status, stdout } = spawnSync(process.execPath, ['scripts/check-migrations.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], GIT_CEILING_DIRECTORIES: path.dirname(folder) },
  });
  return { isGreen: status === 0, said: stdout };
}

const releases = () => writeFileSync(at('CHANGELOG.md'), '# Changelog\n\n## Unreleased\n\n## 1.0.0\n');
const foldsAll = () => {
  remove(FIRST);
  remove(SECOND);
  write(THIRD, '// all of them\n');
};

const CHANGES: [what: string, change: () => void, isGreen: boolean][] = [
  ['nothing', () => undefined, true],
  ['the list', () => write('index.ts', '// three\n'), true],
  ['a migration more', () => write(THIRD, '// three\n'), true],
  ['the first one edited', () => write(FIRST, '// other\n'), false],
  ['the last one edited', () => write(SECOND, '// other\n'), false],
  ['a space added', () => write(SECOND, `// ${SECOND} \n`), false],
  ['one removed', () => remove(SECOND), false],
  ['one renamed', () => (remove(SECOND), write(THIRD, `// ${SECOND}\n`)), false],
  ['one edited beside a new one', () => (write(FIRST, '// other\n'), write(THIRD, '// three\n')), false],
  ['all of them in one that is later', foldsAll, true],
  ['all of them in one that is later, after a release', () => (releases(), foldsAll()), false],
  ['all of them in the first', () => (remove(SECOND), write(FIRST, '// all\n')), false],
];

describe('migrations of the commit before', () => {
  it.each(casesOf(CHANGES, 5))('with %s, before the commit and after it', (_what, change, isGreen) => {
    git('init', '--quiet', '--initial-branch', 'main');
    commit();
    git('switch', '--quiet', '--create', 'work');
    commit();
    change();
    expect(check().isGreen).toBe(isGreen);
    commit();
    expect(check().isGreen).toBe(isGreen);
    git('switch', '--quiet', 'main');
    git('merge', '--quiet', '--no-ff', 'work');
    expect(check().isGreen).toBe(isGreen);
  });

  it('are not known without a history, which is said', () => {
    write(FIRST, '// other\n');
    expect(check()).toEqual({ isGreen: true, said: expect.stringContaining('There is no history of git') });
  });
});
