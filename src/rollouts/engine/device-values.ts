import { FIELD_KEY, type FieldValue, type FieldValues } from '../../devices/registry/device-fields.js';
import type { Device } from '../../devices/registry/device.entity.js';

/*
 * Values of a device in the spec of a rollout or in a template: `"hostname": "{{device.name}}"`, `"vid": "{{field.vlan}}"`. Pure.
 * Nothing is evaluated, and no value is read twice, so a device's name cannot become a placeholder.
 */

const FIELDS = ['id', 'name', 'serial', 'mac', 'model', 'firmware', 'site'] as const satisfies (keyof Device)[];

/** What a rollout knows of a device. */
export interface DeviceValues extends Readonly<Pick<Device, (typeof FIELDS)[number]>> {
  /** Its custom fields; null: each has an example value. */
  readonly fields: FieldValues | null;
}

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The placeholders of a spec that name nothing that a device can have. */
export function unknownPlaceholders(spec: unknown): string[] {
  const unknown = new Set<string>();
  walk(spec, (text) => {
    for (const [placeholder, inside] of text.matchAll(PLACEHOLDER))
      if (nameOf(inside!) === null) unknown.add(placeholder);
    return text;
  });
  return [...unknown];
}

/**
 * Puts a device's values into a spec.
 * @returns the spec for this device, and the fields without a value; if there are any, do not use the spec
 */
export function fillIn(spec: unknown, device: DeviceValues): { readonly spec: unknown; readonly missing: string[] } {
  const missing = new Set<string>();
  const filled = walk(spec, (text) =>
    text.replaceAll(PLACEHOLDER, (placeholder, inside: string) => {
      const name = nameOf(inside);
      const value = name && valueOf(device, name);
      if (value) return value;
      missing.add(name ? name.replace(/^device\./, '') : placeholder);
      return '';
    }),
  );
  return { spec: filled, missing: [...missing] };
}

/** `device.name` or `field.vlan`; null for anything else. */
function nameOf(inside: string): string | null {
  const name = inside.trim();
  if (FIELDS.some((field) => name === `device.${field}`)) return name;
  return name.startsWith('field.') && FIELD_KEY.test(name.slice('field.'.length)) ? name : null;
}

function valueOf(device: DeviceValues, name: string): string | null {
  const [of, key] = name.split('.') as ['device' | 'field', string];
  if (of === 'device') return device[key as (typeof FIELDS)[number]];
  if (device.fields === null) return EXAMPLE_VALUE;
  return Object.hasOwn(device.fields, key) ? textOf(device.fields[key]!) : null;
}

/** Devices write yes and no as `1` and `0`. */
const textOf = (value: FieldValue): string => (typeof value === 'boolean' ? String(Number(value)) : String(value));

/** It is a number, a name and a switch. */
const EXAMPLE_VALUE = '1';

/** A copy with every text changed; names of fields stay. */
function walk(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => walk(part, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, walk(part, change)]));
}

/** For the check of a spec before any device is known. */
export const EXAMPLE_DEVICE: DeviceValues = {
  id: '00000000-0000-4000-8000-000000000000',
  name: 'example',
  serial: '1100000001',
  mac: '00:00:5e:00:53:01',
  model: 'RUT000',
  firmware: 'RUT_R_00.07.00',
  site: 'example',
  fields: null,
};
