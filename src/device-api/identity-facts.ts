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
  /** The name on the label, such as `RUT241`; null when the device says only its platform, `Teltonika RUT2M`. */
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
    model: modelName(made['name'], fixed['model']),
    firmware: textOf(fixed['fw_version']),
  };
}

/** What a product code begins with: `RUT241` of `RUT24103XXXX`, also `RUTX50`, `RUTXR1`, `OTD500` (observed-devices.md 3). */
const PRODUCT_NAME = /^[A-Z]{3}[A-Z0-9]{2}[0-9]/;

/** What `static.model` begins with where it names the platform, which many products share. */
const PLATFORM = 'Teltonika ';

/**
 * The name of the product: its code begins with it. Without a code in that form it is what the status calls the model,
 * except a platform.
 * @param code `mnfinfo.name`
 * @param stated `static.model`
 */
export function modelName(code: unknown, stated: unknown): string | null {
  const product = PRODUCT_NAME.exec(textOf(code) ?? '')?.[0];
  if (product !== undefined) return product;
  const model = textOf(stated);
  return model?.startsWith(PLATFORM) ? null : model;
}

function textOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.slice(0, TEXT_MAX).trim();
  return text === '' || text === 'N/A' ? null : text;
}

const recordOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/* Reads the mobile network from `GET /modems/status`. Devices choose the texts, so they are hostile. Pure. */

/** The table has the same limit. Real names have about 20 characters. */
const LENGTH_MAX = 64;

/** Modems of one device that are looked at; real devices have one or two. */
const MODEMS_MAX = 8;

/** What devices answer for an absent value. */
const ABSENT = 'N/A';

/**
 * The network operator of the primary modem, or else of the first that names one.
 * @param data of the answer
 * @returns null when no modem names a network: it searches, or it is off
 */
export function networkOperatorOf(data: unknown): string | null {
  if (!Array.isArray(data)) return null;
  const modems = data.slice(0, MODEMS_MAX).filter(isRecord);
  const primaryFirst = [...modems.filter(isPrimary), ...modems.filter((modem) => !isPrimary(modem))];
  for (const modem of primaryFirst) {
    const name = nameIn(modem);
    if (name !== null) return name;
  }
  return null;
}

/** Every firmware has `oper`; `operator`, which the older ones lack, reads the same. */
function nameIn({ operator, oper }: Readonly<Record<string, unknown>>): string | null {
  for (const value of [operator, oper]) {
    if (typeof value !== 'string') continue;
    const name = value
      .slice(0, LENGTH_MAX)
      .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
      .trim();
    if (name !== '' && name !== ABSENT) return name;
  }
  return null;
}

const isPrimary = (modem: Readonly<Record<string, unknown>>): boolean => modem['primary'] === true;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
