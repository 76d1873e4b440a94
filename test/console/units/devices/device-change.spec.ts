import { expect, it } from 'vitest';
import { type components } from '../../../../src/api-client/openapi.js';
import { changeOf, formOf, missingOf } from '../../../../console/src/screens/device/device-change.js';
import { missingText } from '../../../../console/src/ui/leaving/missing-text.js';

const DEVICE = {
  name: 'pump-1',
  baseUrl: 'https://192.0.2.1',
  spareUrl: 'https://198.51.100.1',
  site: '',
  tags: ['pump'],
  timeZone: null,
  note: '',
  credentials: { username: 'service', failedLogins: 0, changedAt: '2026-11-30T12:00:00Z' },
} as unknown as components['schemas']['Device'];

const changed = (form: object) => changeOf(DEVICE, { ...formOf(DEVICE), ...form }, {});
const said = (form: object) => missingText(missingOf(changed(form), { ...formOf(DEVICE), ...form }, {}));

it('sends an address only where it is another one, and the login only with it', () => {
  expect(changed({})).toEqual({});
  expect(changed({ baseUrl: '192.0.2.1', password: 'x' })).toEqual({});
  expect(changed({ baseUrl: '192.0.2.2', spareUrl: '' })).toEqual({ baseUrl: 'https://192.0.2.2', spareUrl: null });
  expect(changed({ baseUrl: '192.0.2.2:8443', password: 'x' })).toEqual({
    baseUrl: 'https://192.0.2.2:8443',
    credentials: { username: 'service', password: 'x' },
  });
});

it('says what keeps a change from being sent', () => {
  expect([said({}), said({ baseUrl: ' ' }), said({ spareUrl: '198.51' }), said({ note: 'x' })]).toEqual([
    'Unchanged so far',
    'Still missing: an address',
    'Still missing: an address that can be read',
    '',
  ]);
});
