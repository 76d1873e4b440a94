/*
 * A migration that others have is frozen: a database never runs it again, so an edit would give one name to two schemas.
 * Compares the files with those of the commit on which this work is based. Prints a line for each that changed, and ends with
 * 1 where there is one.
 *
 * One commit may edit them: before the first release, all files may go at once for a new baseline with later names. The start
 * then refuses every database of before, by these names (`refuseEarlySchema`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { baseCommit, git } from './base-commit.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const base = baseCommit();
if (base === null) {
  console.log('There is no history of git to compare with: whether a migration changed is not known.');
} else {
  const present = readdirSync(`${root}migrations`);
  const earlier = named(git('ls-tree', '--name-only', `${base}:migrations`));
  const changed = named(git('diff', '--name-only', '--no-renames', '--relative=migrations', base, '--', 'migrations'));
  if (!isNewBaseline(earlier, present)) {
    for (const name of changed.filter((one) => earlier.includes(one))) {
      console.log(`migrations/${name} is frozen, and is not as in ${base}. Make the change in a new migration.`);
      process.exitCode = 1;
    }
  }
}

/** The migrations in a list that git printed. */
function named(printed) {
  return (printed ?? '').split('\n').filter((name) => /^\d/.test(name));
}

function isNewBaseline(earlier, present) {
  const isReleased = /^## \d/m.test(readFileSync(`${root}CHANGELOG.md`, 'utf8'));
  return !isReleased && named(present.join('\n')).every((name) => name > (earlier.at(-1) ?? ''));
}
