import { type components } from '../../../../src/api-client/openapi.js';
import { firmwareParts } from '../../api/device-texts.js';

/** The newest version of the vendor, as a device of the same model was last offered it; null: none has asked. */
export type VendorNewest = components['schemas']['RolloutPlan']['firmware'][number]['vendor'];

const versionOf = (firmware: string): string => firmwareParts(firmware).version;

/** What the device runs and what it gets. @param newest undefined: not known to the reader @param ago of a time, such as `3 days ago` */
export function vendorText(
  { name, model, firmware }: Pick<components['schemas']['Device'], 'name' | 'model' | 'firmware'>,
  newest: VendorNewest | undefined,
  ago: (at: string) => string,
): string {
  const now = firmware === null ? '' : `Now ${versionOf(firmware)}`;
  if (newest === undefined) return now;
  if (newest === null)
    return `${name} (${model ?? 'its model is not known'})${firmware === null ? '' : ` runs ${versionOf(firmware)}`}. The vendor’s newest for its model is not known yet: the device asks when the job starts`;
  const version = versionOf(newest.version);
  if (firmware !== null && versionOf(firmware) === version)
    return `${now}, the newest of the vendor ${ago(newest.at)}: nothing to do`;
  return `${now && `${now} → `}${version}, the newest of the vendor ${ago(newest.at)}`;
}
