/* What devices call themselves, as people read it in a column. The whole text is the title of the cell. */

const MAKER = 'Teltonika ';

/** The model without its maker: all devices of a fleet have the same one. */
export const modelText = (model: string): string => (model.startsWith(MAKER) ? model.slice(MAKER.length) : model);

/**
 * The version of a firmware and the family of devices that it is for. `RUT2M_R_00.07.16.3` is `07.16.3` of `RUT2M`; a firmware that
 * is named in another way stays as it is.
 */
export function firmwareParts(firmware: string): { readonly version: string; readonly family: string | null } {
  const parts = firmware.split('_');
  const last = parts.at(-1)!;
  if (parts.length < 2 || !/^[\d.]+$/.test(last)) return { version: firmware, family: null };
  return { version: last.startsWith('00.') ? last.slice('00.'.length) : last, family: parts[0]! };
}

/** `RUT2M_R_00.07.16.3` → `07.16.3 (RUT2M)`: a version where devices of several families stand together. */
export function firmwareText(firmware: string): string {
  const { version, family } = firmwareParts(firmware);
  return family === null ? version : `${version} (${family})`;
}

/** `data_plan` → `Data plan`. */
export const sentence = (key: string): string => key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' ');

/** A custom field as people read it; selectors have its key. */
export const fieldText = (key: string): string => (key === 'plan_mb' ? 'Data plan, MB a month' : sentence(key));

const MOBILE = /^mob(\d{1,2})s(\d{1,2})a\d{1,2}$/;

/** An interface as people read it: `mob1s2a1` → `Mobile, SIM 2 (mob1s2a1)`; `lan` → `LAN`. */
export function interfaceText(name: string): string {
  const [, modem, sim] = MOBILE.exec(name) ?? [];
  if (sim !== undefined) return `Mobile${modem === '1' ? '' : ` ${modem}`}, SIM ${sim} (${name})`;
  return /^(?:lan|wan)\d?$/.test(name) ? name.toUpperCase() : name;
}
