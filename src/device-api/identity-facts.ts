import { serialNumber } from './contract.js';
import { canonicalMac } from './mac.js';

/*
 * What `GET /system/device/status` says of a device, fact by fact: one that is missing, or of another type, takes no other
 * with it. Devices choose the texts, so they are hostile. Pure.
 */

/** Each is null when the device does not say it, or not in its form. */
export interface IdentityFacts {
  readonly serial: string | null;
  /** In the form of the registry. */
  readonly mac: string | null;
  readonly model: string | null;
  readonly firmware: string | null;
}

/** Real ones have at most 40 characters. */
const TEXT_MAX = 200;

/** @param data of the answer, parsed */
export function identityFacts(data: unknown): IdentityFacts {
  const made = recordOf(recordOf(data)['mnfinfo']);
  const fixed = recordOf(recordOf(data)['static']);
  return {
    serial: serialNumber.safeParse(made['serial']).data ?? null,
    mac: typeof made['mac'] === 'string' ? canonicalMac(made['mac']) : null,
    model: textOf(fixed['model']),
    firmware: textOf(fixed['fw_version']),
  };
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, TEXT_MAX).trim();
  return text === '' || text === 'N/A' ? null : text;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
