import { describe, expect, it } from 'vitest';
import {
  pickedTerms,
  picksOf,
  termText,
  withPicked,
} from '../../../../console/src/ui/devices/choice/picked-devices.js';

/* Devices chosen by clicks, as a selector. */

describe('clicks on the choices of devices', () => {
  it('are alternatives within a field, narrow by another field, and are taken back', () => {
    const clicks = ['site:riga/*', 'site:vilnius/*', 'model=RUT241', 'site:riga/*'];
    const written = clicks.reduce<string[]>((all, term) => [...all, withPicked(all.at(-1) ?? 'all', term)], []);
    expect(written).toEqual([
      'site:riga/*',
      'site:riga/* | site:vilnius/*',
      '(site:riga/* | site:vilnius/*) & model=RUT241',
      'site:vilnius/* & model=RUT241',
    ]);
    expect(withPicked('site:riga/*', 'site:riga/*')).toBe('');
    expect(pickedTerms(written[2]!)).toEqual([['site:riga/*', 'site:vilnius/*'], ['model=RUT241']]);
  });

  it.each([
    ['tag:pump | name:x', '(tag:pump | name:x) & model=A'],
    ['@pumps', '@pumps & model=A'],
    ['!tag=old', '!tag=old & model=A'],
    ['tag="a | b"', 'tag="a | b" & model=A'],
  ])('narrow what a person has typed: %s', (typed, text) => {
    expect(withPicked(typed, 'model=A')).toBe(text);
  });

  it('take names as the devices themselves, and read what was written in another way', () => {
    const id = 'id=0192f3a1-7c4e-7b1a-9d2e-5f60718293a4';
    expect(withPicked('site:riga/* & model=A', 'name=lab-1')).toBe('name=lab-1');
    expect(withPicked(id, 'name="Pump 1"')).toBe(`${id} | name="Pump 1"`);
    expect(withPicked(`${id} | name=lab-1`, 'site:riga/*')).toBe('site:riga/*');
    expect(withPicked('tag:pump | tag=b', 'tag="pump"')).toBe('tag=b');
    const terms = ['site:riga/*', 'tag:pump', 'model="RUT 9"', 'firmware<07.25.3', 'name="a \\"b\\""'];
    expect(terms.map(termText)).toEqual(['riga', 'pump', 'RUT 9', 'before 07.25.3', 'a "b"']);
  });

  it('offer sites by their first part, and firmware by what is older', () => {
    const sites = [
      { value: 'riga/a', devices: 2 },
      { value: 'riga/b', devices: 3 },
      { value: 'hq', devices: 1 },
      { value: null, devices: 9 },
    ];
    expect(picksOf('site', sites)).toEqual([
      { text: 'hq', term: 'site=hq', devices: 1 },
      { text: 'riga', term: 'site:riga/*', devices: 5 },
    ]);
    const firmware = [
      { value: 'RUTX_R_00.07.9.3', devices: 4 },
      { value: 'RUT9_R_00.07.25.3', devices: 2 },
      { value: 'nightly', devices: 1 },
    ];
    expect(picksOf('firmware', firmware)).toEqual([{ text: 'before 07.25.3', term: 'firmware<07.25.3', devices: 4 }]);
    expect(picksOf('model', [{ value: 'RUT 9', devices: 1 }])[0]!.term).toBe('model="RUT 9"');
  });
});
