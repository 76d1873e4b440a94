/* What a device says of itself by its firmware. */
import { afterEach, describe, expect, it } from 'vitest';
import { apiVersionOf } from '../../../src/simulator/device/families.js';
import { Fleets } from '../caller.js';

const fleets = new Fleets();
afterEach(() => fleets.close());

describe('what is said without a login', () => {
  it.each([
    ['07.03.2', ['api_version', 'device_name', 'lang']],
    ['07.06.20', ['api_version', 'device_name', 'lang']],
    ['07.07.1', ['api_version', 'device_identifier', 'device_name', 'lang']],
    ['07.11.1', ['api_version', 'device_identifier', 'device_model', 'device_name', 'lang']],
    ['07.25.3', ['api_version', 'device_identifier', 'device_model', 'device_name', 'lang']],
  ])('firmware %s has the fields %j', async (firmware, fields) => {
    const caller = await fleets.caller({ family: 'RUT950', profile: 'rutos', firmware });
    const { data } = (await caller.get('/api/unauthorized/status', { token: null })).body;
    expect(Object.keys(data).toSorted()).toEqual(fields);
    expect(data.api_version === '1.0').toBe(!fields.includes('device_identifier'));
  });
});

it.each([
  ['07.06.20', '1.0'],
  ['07.16.3', '1.8.3'],
  ['07.17.3', '1.9.2'],
  ['07.21.0', '1.13.0'],
  ['07.23.4', '1.15.4'],
  ['07.24.2', '1.17.1'],
  ['07.24.5', '1.17.5'],
  ['07.25.3', '1.18.3'],
])('firmware %s has API %s', (firmware, api) => expect(apiVersionOf(`RUTX_R_00.${firmware}`)).toBe(api));

describe('static.release by firmware', () => {
  const OLD = ['description', 'distribution', 'revision', 'target', 'version'];
  const NEW = ['distribution', 'version'];

  it.each([
    ['07.06.20', OLD],
    ['07.16.3', OLD],
    ['07.23.4', OLD],
    ['07.24', OLD],
    ['07.24.4', OLD],
    ['07.24.5', NEW],
    ['07.24.10', NEW],
    ['07.25.0', NEW],
    ['07.25.3', NEW],
    ['08.0.0', NEW],
  ])('%s has %j', async (firmware, fields) => {
    const caller = await fleets.caller({ family: 'RUTX50', profile: 'rutos', firmware });
    const { release } = (await caller.get('/api/system/device/status')).body.data.static;
    expect(Object.keys(release).toSorted()).toEqual(fields);
  });
});
