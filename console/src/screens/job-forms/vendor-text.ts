import { type components } from '../../../../src/api-client/openapi.js';
import { firmwareParts } from '../../api/device-texts.js';

/** The newest version of the vendor, as a device of the same model was last offered it; null: none has asked. */
export type VendorNewest = components['schemas']['RolloutPlan']['firmware'][number]['vendor'];

const versionOf = (firmware: string): string => firmwareParts(firmware).version;

/** What the device runs and what it gets. @param newest undefined: not known to the reader @param ago of a time, such as `3 days ago` */
export function vendorText(
  firmware: string | null,
  newest: VendorNewest | undefined,
  ago: (at: string) => string,
): string {
  const now = firmware === null ? '' : `Now ${versionOf(firmware)}`;
  if (newest === undefined) return now;
  if (newest === null)
    return [now, 'no device of this model has asked the vendor so far: the job tells the version']
      .filter(Boolean)
      .join(' · ');
  const version = versionOf(newest.version);
  if (firmware !== null && versionOf(firmware) === version)
    return `${now}, the newest of the vendor ${ago(newest.at)}: nothing to do`;
  return `${now && `${now} → `}${version}, the newest of the vendor ${ago(newest.at)}`;
}
