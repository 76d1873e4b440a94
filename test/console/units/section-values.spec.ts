import { describe, expect, it } from 'vitest';
import { type Option } from '../../../console/src/screens/device-api/option.js';
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
  });
});

it('shows before and after of each option, and no secret', () => {
  const changes = changesOf(options, { mtu: '1400', dns: '9.9.9.9\n1.1.1.1', private_key: 'new', key: 'x' });
  expect(differenceOf(options, changes)).toEqual([
    { name: 'private_key', before: 'a value that is not shown', after: 'a value that is not shown' },
    { name: 'mtu', before: '1420', after: '1400' },
    { name: 'key', before: 'a value that is not shown', after: 'a value that is not shown' },
    { name: 'dns', before: 'not set', after: '9.9.9.9, 1.1.1.1' },
  ]);
});
