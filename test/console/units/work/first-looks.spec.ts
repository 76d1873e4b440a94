import { describe, expect, it } from 'vitest';
import { browserText } from '../../../../console/src/screens/access/sessions/browser-text.js';
import { answerText, reasonText } from '../../../../console/src/screens/access/explaining/answer-text.js';
import { needsSecondFactor } from '../../../../console/src/screens/access/people/second-factor-need.js';
import { firmwareRows, selectorOf } from '../../../../console/src/screens/artifacts/firmware-rows.js';
import { askedText, costText, offlineText } from '../../../../console/src/screens/fan-outs/asked-text.js';
import { againSearch } from '../../../../console/src/screens/fan-outs/requests.js';
import { isSignedLate } from '../../../../console/src/screens/system/signing.js';

describe('the firmware that is stored or runs', () => {
  const counted = [
    { value: 'RUTX_R_00.07.9.3', devices: 4 },
    { value: 'RUT9_R_00.07.25.3', devices: 2 },
    { value: 'RUTX_R_00.07.25.3', devices: 1 },
    { value: 'own build', devices: 1 },
    { value: null, devices: 9 },
  ];
  const image = (id: string, version: string | null) => ({ id, name: `${id}.bin`, version, models: ['RUTX50'] });

  it('joins the families of one version, and counts the devices with an older one', () => {
    const rows = firmwareRows(counted, []);
    expect(rows.map(({ version, of, runs, wouldGet, isNewest }) => [version, of, runs, wouldGet, isNewest])).toEqual([
      ['own build', [], 1, 0, true],
      ['07.25.3', ['RUT9', 'RUTX'], 3, 4, false],
      ['07.9.3', ['RUTX'], 4, 0, false],
    ]);
    const vendor = firmwareRows([...counted, { value: 'TRB1_R_00.07.24.2', devices: 5 }], []);
    expect(vendor[1]!.wouldGet, 'of all families: the vendor numbers them alike').toBe(9);
    expect(selectorOf(rows[1]!.runNames)).toBe('firmware=RUT9_R_00.07.25.3 | firmware=RUTX_R_00.07.25.3');
    expect(selectorOf(rows[0]!.runNames)).toBe('firmware="own build"');
  });

  it('has a row of its own for each image, with the older devices of its family only', () => {
    const rows = firmwareRows(counted.slice(0, 3), [image('new', 'RUTX_R_00.07.26.1'), image('odd', null)]);
    expect(rows.map(({ key, version, of, runs, wouldGet }) => [key, version, of, runs, wouldGet])).toEqual([
      ['odd', 'odd.bin', ['RUTX50'], 0, 0],
      ['new', '07.26.1', ['RUTX50'], 0, 5],
      ['07.25.3', '07.25.3', ['RUT9', 'RUTX'], 3, 4],
      ['07.9.3', '07.9.3', ['RUTX'], 4, 0],
    ]);
    expect(rows.filter(({ isNewest }) => isNewest).map(({ key }) => key)).toEqual(['new']);
    expect(rows.map(({ name }) => name)).toEqual(['odd.bin', '07.26.1', '07.25.3', '07.9.3']);
    const two = firmwareRows(counted.slice(0, 3), [image('same', 'RUTX_R_00.07.25.3')]);
    expect(two.map(({ name }) => name)).toEqual(['07.25.3 (RUTX)', '07.25.3 (RUT9)', '07.9.3']);
    expect(selectorOf(rows[1]!.olderNames)).toBe('firmware=RUTX_R_00.07.9.3 | firmware=RUTX_R_00.07.25.3');
  });
});

describe('a fan-out before it is sent', () => {
  it.each([
    ['GET', 25, 'Clock: asked once of each of 25 devices, 25 calls in all; it only reads.'],
    ['PUT', 1, 'Clock: sent once to 1 device; it changes what is there.'],
    ['GET', undefined, 'Clock: asked once of each device; it only reads.'],
  ])('is one sentence: %s to %s', (method, devices, text) => {
    expect(askedText({ method, title: 'Clock', devices })).toBe(text);
  });

  it('names those that are offline', () => {
    expect(offlineText(1, ['lab-3'])).toBe('1 of them is offline, and most likely does not answer: lab-3');
    expect(offlineText(3, ['lab-3', 'lab-9'])).toBe(
      '3 of them are offline, and most likely do not answer: lab-3, lab-9 …',
    );
  });

  it('begins as an earlier one, where all of that is stored', () => {
    const call = { method: 'GET', path: '/api/system/device/status' };
    expect(againSearch({ requests: [call], selector: 'tag:pump' })).toEqual({ ...call, selector: 'tag:pump' });
    expect(againSearch({ requests: [call], selector: null }), 'a choice that is seen in part').toBeNull();
    expect(againSearch({ requests: [{ ...call, method: 'PUT' }], selector: 'all' }), 'without its body').toBeNull();
  });

  it('says what the answers cost', () => {
    expect(costText(2_000, 25)).toBe('Its answer has 2.0 kB; 25 such answers are about 50.0 kB of mobile data.');
  });
});

describe('rights', () => {
  it('are answered in a sentence', () => {
    const question = { action: 'device.call_write', device: 'name:pump-1', method: 'PUT', path: '/api/ntp/global' };
    expect(answerText(question, 'Edith', { allowed: false, inPart: false })).toBe(
      'Edith may not call devices to write on pump-1, PUT /api/ntp/global.',
    );
    expect(answerText({ action: 'audit.export' }, undefined, { allowed: true, inPart: false })).toBe(
      'You may export the audit.',
    );
    expect(answerText({ action: 'job.start' }, 'Edith', { allowed: true, inPart: true })).toBe(
      'Edith may start jobs, but not on all devices or paths.',
    );
  });

  it('have reasons without the code of the permission', () => {
    expect(reasonText('`device.read` at /x is allowed by rule 1 of the role auditor.')).toBe(
      'Allowed by rule 1 of the role auditor.',
    );
    expect(reasonText('`job.start` is not allowed: nothing in the scope of the key allows it.')).toBe(
      'Not allowed: nothing in the scope of the key allows it.',
    );
    expect(reasonText('Every operator holds `self.read`.')).toBe('Every operator holds `self.read`.');
  });

  const admin = { roles: [{ role: 'administrator', selector: null }], hasPassword: true, hasSecondFactor: false };
  it.each([
    ['an administrator with a password alone', admin, true],
    ['one with a second factor', { ...admin, hasSecondFactor: true }, false],
    ['one who only has keys', { ...admin, hasPassword: false }, false],
    ['one who is disabled', { ...admin, disabledAt: '2026-01-01T00:00:00Z' }, false],
    ['an operator', { ...admin, roles: [{ role: 'operator', selector: null }] }, false],
  ])('warn of %s: %#', (_, person, isWarned) => {
    expect(needsSecondFactor(person)).toBe(isWarned);
  });
});

describe('a checkpoint', () => {
  it('is late where entries wait for one, and never because nothing happens', () => {
    const of = (...codes: string[]) => ({ warnings: codes.map((code) => ({ code, text: '', since: '' })) });
    expect(isSignedLate(of())).toBe(false);
    expect(isSignedLate(of('no_tls'))).toBe(false);
    expect(isSignedLate(of('no_tls', 'audit_not_signed'))).toBe(true);
  });
});

it.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    'Chrome 141 on Linux',
  ],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox 143 on Windows'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18 on iOS',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0',
    'Edge 141 on Windows',
  ],
  ['curl/8.5.0', 'curl/8.5.0'],
  [null, '–'],
])('the browser %s is said as %s', (text, said) => {
  expect(browserText(text)).toBe(said);
});
