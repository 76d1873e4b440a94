import { describe, expect, it } from 'vitest';
import { problemOf } from '../../../console/src/screens/device-configuration/option-problem.js';
import { type Option } from '../../../console/src/screens/device-api/operation.js';
import {
  changesOf,
  differenceOf,
  formOptions,
} from '../../../console/src/screens/device-configuration/section-values.js';

const MARKER = 'hmac:0123456789abcdef';

const option = (name: string, given: Partial<Option> = {}): Option => ({
  name,
  values: null,
  isList: false,
  type: null,
  preset: null,
  isRequired: false,
  ...given,
});

const SECTION = { id: 'wg0', '.type': 'interface', private_key: MARKER, psk: [MARKER], 'key:set': '1', mtu: '1420' };
const DECLARED = [option('key'), option('psk', { isList: true }), option('dns', { isList: true })];
const options = formOptions(SECTION, DECLARED);

describe('a form of a section', () => {
  it('shows no marker, and says which options have a value that is not shown', () => {
    expect(options.map(({ name, text, isHidden }) => [name, text, isHidden])).toEqual([
      ['private_key', '', true],
      ['psk', '', true],
      ['mtu', '1420', false],
      ['key', '', true],
      ['dns', '', false],
    ]);
  });

  it('sends no option that was not changed, so never a marker', () => {
    expect(changesOf(options, {})).toEqual({});
    expect(changesOf(options, { mtu: '1400', private_key: '' })).toEqual({ mtu: '1400' });
  });

  it('sends texts and lists of texts', () => {
    expect(changesOf(options, { mtu: '', dns: ' 9.9.9.9\n\n1.1.1.1 ', key: 'new' })).toEqual({
      mtu: '',
      dns: ['9.9.9.9', '1.1.1.1'],
      key: 'new',
    });
    expect(changesOf(options, { dns: '\n' })).toEqual({}); // an empty row is no entry
  });
});

describe('a typed value', () => {
  const problem = (given: Partial<Option>, text: string, name = 'x', service = '') =>
    problemOf(formOptions({}, [option(name, given)], service)[0]!, text);

  it.each([
    ['integer', '30', 'thirty'],
    ['port', '65535', '65536'],
    ['ipv4', '192.168.1.1', '192.168.1.256'],
    ['cidr', '10.0.0.0/8', '10.0.0.0/33'],
    ['mac', '00:1E:42:00:00:01', '00-1e-42-00-00-01'],
    ['host', 'a.example.com', 'a b'],
    ['file', '/etc/a.pem', 'a.pem'],
    ['key', `${'A'.repeat(43)}=`, 'A'],
  ])('is checked as the type %s', (type, right, wrong) => {
    expect(problem({ type }, right)).toBeNull();
    expect(problem({ type }, '')).toBeNull(); // it unsets the option
    expect(problem({ type }, wrong)).toMatch(/^This is not .*\.$/);
    expect(problem({ type, isList: true }, `${right}\n${wrong}`)).toBe(`${wrong}: ${problem({ type }, wrong)}`);
  });

  it('is checked against the range that the dictionary has', () => {
    const metric = (text: string) => problem({ type: 'integer' }, text, 'metric', 'interfaces');
    expect(metric('1000')).toBeNull();
    expect(metric('1001')).toBe('This is not a whole number from 0 to 1,000.');
  });

  it('is no marker of a value that is not shown', () => {
    expect(problem({}, MARKER)).toMatch(/not shown/);
  });
});

it('shows before and after of each option, and no secret', () => {
  const changes = changesOf(options, { mtu: '1400', dns: '9.9.9.9\n1.1.1.1', private_key: 'new', key: 'x' });
  expect(differenceOf(options, changes)).toEqual([
    {
      name: 'private_key',
      title: 'Private key',
      before: 'a value that is not shown',
      after: 'a value that is not shown',
    },
    { name: 'mtu', title: 'MTU', before: '1420', after: '1400' },
    { name: 'key', title: 'Key', before: 'a value that is not shown', after: 'a value that is not shown' },
    { name: 'dns', title: 'DNS servers', before: 'not set', after: '9.9.9.9, 1.1.1.1' },
  ]);
});
