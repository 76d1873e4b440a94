import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ID_LISTS } from '../../src/cli/errors.js';
import { operationOf, specOf } from '../../src/cli/operations/api-command.js';
import { OPERATIONS } from '../../src/cli/operations/operations.js';
import { fleetgateLines, problemOf } from '../support/cli/checked-line.js';
import { allCommands } from '../support/cli/commands.js';
import { fieldsOfAnswer, type Document } from '../support/source/answer-fields.js';
import { inlined } from '../support/source/inlined.js';
import { BY_OWN_COMMAND, WITHOUT_COMMAND } from './parity.js';

/* The commands and the operations of the document: each has the other. */

const document = inlined(JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as Document);

it('has a command for each operation, or a reason why not', async () => {
  const made = new Set<string | null>((await allCommands()).map(({ command }) => operationOf(command)));
  const all = Object.keys(OPERATIONS);
  const without = all.filter((id) => !made.has(id));
  expect(without.sort()).toEqual([...Object.keys(WITHOUT_COMMAND), ...Object.keys(BY_OWN_COMMAND)].sort());
});

it('has the commands that stand for an operation by themselves', async () => {
  const words = new Set((await allCommands()).map((one) => one.words));
  expect(Object.values(BY_OWN_COMMAND).filter((command) => !words.has(command))).toEqual([]);
});

it('explains each command, with examples that name it', async () => {
  const wrong = (await allCommands()).filter(({ words, command }) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    return command.description() === '' || !help.includes(`fleetgate ${words}`);
  });
  expect(wrong.map(({ words }) => words)).toEqual([]);
});

/** Whether a command line sets something until a fixed day. */
const isOverOneDay = (words: readonly string[]): boolean =>
  words.some((word, at) => /^\d{4}-/.test(word) && /^--(expires|ends|starts)-at$|^--until$/.test(words[at - 1]!)) &&
  words[0] !== 'audit';

it('gives examples that could run as they are', async () => {
  const wrong: string[] = [];
  for (const { command } of await allCommands()) {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    const examples = help.split('\n').filter((line) => line.startsWith('  $ '));
    for (const line of fleetgateLines(examples.map((example) => example.slice(4)).join('\n'))) {
      const problem = (await problemOf(line)) ?? (isOverOneDay(line) ? 'its day will be over' : null);
      if (problem) wrong.push(`fleetgate ${line.join(' ')}: ${problem}`);
    }
  }
  expect(wrong).toEqual([]);
});

it('says of each distance in time whether it is before now or after it', async () => {
  const said = new Map<string, string>();
  for (const { words, command } of await allCommands())
    for (const { long, description } of command.options) {
      const [, direction] = / for 7 days (ago|from now)/.exec(description) ?? [];
      if (direction !== undefined) said.set(`${words} ${long}`, direction);
    }
  const future = [...said].filter(([, direction]) => direction === 'from now').map(([flag]) => flag);
  expect(said.get('audit list --until')).toBe('ago');
  expect(future.toSorted()).toEqual([
    'certificate list --expires-before', 'device trust --expires-at', 'key issue --expires-at', 'key issue-own --expires-at',
    'lock set --ends-at', 'mute add --until', 'template ignore --until',
  ]); // prettier-ignore
});

it('has only columns that the answer has', async () => {
  const wrong: string[] = [];
  for (const { words, command } of await allCommands()) {
    const { operation, columns = '' } = specOf(command) ?? { operation: null };
    const fields = operation === null ? new Set() : fieldsOfAnswer(operation, document);
    const unknown = columns.split(' ').filter((column) => column !== '' && !fields.has(column));
    if (unknown.length > 0) wrong.push(`${words}: ${unknown.join(' ')}`);
  }
  expect(wrong).toEqual([]);
});

it('knows a list for each id that a parameter takes', () => {
  const text = JSON.stringify(document.paths);
  const named = text.matchAll(
    /"name":"(\w+)","required":(?:true|false),"in":"\w+",[^{]*"schema":\{[^{}]*"format":"uuid"/g,
  );
  const ids = [...new Set([...named].map(([, name]) => name!))];
  expect(ids.length).toBeGreaterThan(15);
  expect(ids.filter((name) => !Object.hasOwn(ID_LISTS, name)).sort()).toEqual(['importId', 'operation']);
});
