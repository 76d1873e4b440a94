import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/exit-codes.js';
import { requireConsent } from '../../src/cli/input/secret.js';
import { completions } from '../../src/cli/nouns/completion.js';
import { OPERATIONS } from '../../src/cli/operations/operations.js';
import { buildRequest, devicePath, deviceRef, readValue, withFields } from '../../src/cli/operations/request.js';
import { previewLines } from '../../src/cli/selection.js';

/* From words to a request, without a gateway. */

const NONE = { places: [], query: {}, fields: {} };

describe('a request', () => {
  it('has its places, its query and its body', () => {
    const given = { ...NONE, places: ['pump 1/a'], query: { limit: '5' }, fields: { 'credentials.username': 'admin' } };
    expect(buildRequest(OPERATIONS.devices_change, { ...given, document: { site: 'a' } })).toEqual({
      method: 'PATCH',
      path: '/v1/devices/name:pump%201%2Fa?limit=5',
      once: true,
      json: { site: 'a', credentials: { username: 'admin' } },
    });
    expect(buildRequest(OPERATIONS.devices_get, { ...NONE, places: ['$&'] }).path).toBe('/v1/devices/name:$&');
  });

  it('refuses fields that no object can have', () => {
    expect(() => withFields('text', { a: 1 })).toThrow(UsageError);
    expect(() => withFields({ a: 'x' }, { 'a.b': 1 })).toThrow(UsageError);
    expect(() => withFields({}, { '__proto__.polluted': 1 })).toThrow(UsageError);
    expect(withFields({ a: 1 }, { b: 2 })).toEqual({ a: 1, b: 2 });
  });

  it.each([
    ['pump-1', 'name:pump-1'],
    ['serial:1112223334', 'serial:1112223334'],
    ['id:0192f3a1-7c4e-7b1a-9d2e-5f60718293a4', '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4'],
    ['0192f3a1-7c4e-7b1a-9d2e-5f60718293a4', '0192f3a1-7c4e-7b1a-9d2e-5f60718293a4'],
  ])('takes %s as %s', (written, ref) => expect(deviceRef(written)).toBe(ref));

  it('takes the path of a device with and without /api', () => {
    expect(['/system/x', 'system/x', '/api/system/x'].map(devicePath)).toEqual(Array(3).fill('/api/system/x'));
  });

  it.each([
    ['list', 'a, b', ['a', 'b']],
    ['list', '', []],
    ['number', '3.5', 3.5],
    ['boolean', 'false', false],
    ['other', '{"a":1}', { a: 1 }],
    ['string', '{"a":1}', '{"a":1}'],
  ] as const)('reads a %s', (type, written, value) => {
    expect(readValue('--x', written, { type, about: '' })).toEqual(value);
  });

  it('refuses values that their field does not take', () => {
    expect(() => readValue('--x', 'maybe', { type: 'boolean', about: '' })).toThrow('--x is true or false');
    expect(() => readValue('--x', 'many', { type: 'number', about: '' })).toThrow('--x is a number');
    expect(() => readValue('--x', 'c', { type: 'string', about: '', choices: ['a', 'b'] })).toThrow(
      '--x is one of a, b',
    );
  });
});

describe('consent', () => {
  const silent = {
    stdin: new PassThrough(),
    stderr: { write: () => true },
    mayAsk: false,
    isTerminal: false,
    columns: 80,
  };
  const asked = (answer: string) => {
    const stdin = new PassThrough();
    stdin.end(`${answer}\n`);
    return { ...silent, stdin, mayAsk: true };
  };

  it('is given by a flag where nothing may be asked', async () => {
    await requireConsent('It reboots.', null, { yes: true }, silent);
    await requireConsent('It goes.', 'pump-1', { confirm: 'pump-1' }, silent);
    await expect(requireConsent('It goes.', 'pump-1', { yes: true }, silent)).rejects.toThrow('--confirm=pump-1');
    await expect(requireConsent('It goes.', 'pump-1', { confirm: 'pump-2' }, asked('pump-1'))).rejects.toThrow(
      UsageError,
    );
    await expect(requireConsent('It reboots.', null, {}, silent)).rejects.toThrow('--yes');
  });

  it('is typed on a terminal', async () => {
    await requireConsent('It reboots.', null, {}, asked('y'));
    await requireConsent('It goes.', 'pump-1', {}, asked('pump-1'));
    for (const answer of ['', 'n', 'pump']) {
      await expect(requireConsent('It goes.', 'pump-1', {}, asked(answer))).rejects.toThrow('Nothing was done');
    }
  });

  it('comes after a preview of the devices', () => {
    const preview = {
      matched: 12,
      count: 11,
      digest: 'd',
      sample: [{ name: 'a' }],
      excluded: [{ reason: 'locked', count: 1 }],
    };
    expect(previewLines(preview)).toEqual(['11 of 12 devices of the selector: a, …', '  left out: 1, locked']);
  });
});

it('completes commands, flags and names of devices', async () => {
  const device = new Command('device').addCommand(new Command('show').argument('<device>').option('--fields <x>'));
  const program = new Command().addCommand(device).addCommand(new Command('__complete'), { hidden: true });
  const found = (...words: string[]) => completions(program, words, () => Promise.resolve(['pump-1', 'valve-1']));
  expect(await found('')).toEqual(['device']);
  expect(await found('device', 's')).toEqual(['show']);
  expect(await found('device', 'show', 'p')).toEqual(['pump-1']);
  expect(await found('device', 'show', '--f')).toEqual(['--fields']);
  expect(await found('device', 'show', 'pump-1', '')).toEqual([]);
});
