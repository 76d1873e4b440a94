import type { Device } from '../../devices/registry/device.entity.js';
/*
 * Values of a device in the spec of a rollout: `"hostname": "{{device.name}}"`. Pure. A text that is only one placeholder
 * becomes the value; placeholders inside a longer text are replaced. Nothing is evaluated, and no value is read twice, so
 * a device's name cannot become a placeholder.
 */

const FIELDS = ['id', 'name', 'serial', 'mac', 'model', 'firmware', 'site'] as const satisfies (keyof Device)[];

/** What a rollout knows of a device. */
export type DeviceValues = Readonly<Pick<Device, (typeof FIELDS)[number]>>;

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The placeholders of a spec that are not fields of a device. */
export function unknownPlaceholders(spec: unknown): string[] {
  const unknown = new Set<string>();
  walk(spec, (text) => {
    for (const [placeholder, inside] of text.matchAll(PLACEHOLDER))
      if (fieldOf(inside!) === null) unknown.add(placeholder);
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
      const field = fieldOf(inside);
      const value = field && device[field];
      if (value) return value;
      missing.add(field ?? placeholder);
      return '';
    }),
  );
  return { spec: filled, missing: [...missing] };
}

function fieldOf(inside: string): keyof DeviceValues | null {
  const name = inside.trim();
  return FIELDS.find((field) => name === `device.${field}`) ?? null;
}

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
};
