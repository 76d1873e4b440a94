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
