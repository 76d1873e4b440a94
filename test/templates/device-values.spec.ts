import { describe, expect, it } from 'vitest';
import { EXAMPLE_DEVICE, fillIn, unknownPlaceholders } from '../../src/rollouts/engine/device-values.js';

const device = { ...EXAMPLE_DEVICE, site: '', fields: { vlan: 12, guests: false, ssid: '{{device.name}}' } };

describe('values of a device in a spec', () => {
  it.each([
    ['{{device.name}}', 'example'],
    ['{{field.vlan}}', '12'],
    ['vlan{{ field.vlan }}-{{device.name}}', 'vlan12-example'],
    ['{{field.guests}}', '0'],
    ['{{field.ssid}}', '{{device.name}}'], // no value is read twice
  ])('fill %s', (text, filled) => {
    expect(fillIn({ data: [{ text }] }, device)).toEqual({ spec: { data: [{ text: filled }] }, missing: [] });
  });

  it.each([
    ['{{device.site}}', 'site'],
    ['{{field.other}}', 'field.other'],
    ['{{field.constructor}}', 'field.constructor'],
  ])('are missing where the device has none: %s', (text, missing) => {
    expect(fillIn(text, device).missing).toEqual([missing]);
  });

  it('may be any custom field, and no other thing', () => {
    const spec = ['{{field.vlan}}', '{{device.password}}', '{{field.}}', '{{field.__proto__}}', '{{vlan}}'];
    expect(unknownPlaceholders(spec)).toEqual(spec.slice(1));
    expect(fillIn('{{field.anything}}', EXAMPLE_DEVICE)).toEqual({ spec: '1', missing: [] });
  });
});
