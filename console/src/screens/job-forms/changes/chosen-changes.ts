import { isRecordPath } from '../../templates/draft/draft-items.js';
import { type FoundSetting } from '../../templates/draft/found-settings.js';
import { isSpec, type Spec } from '../fields.js';

/* Settings that a person has chosen from a list, as changes of a job. Pure. */

/** As the form adds it: nothing is filled in. */
export const isBlankChange = ({ path, data, sealed }: Spec): boolean =>
  !path && sealed === undefined && Object.keys(isSpec(data) ? data : {}).length === 0;

const pathOf = ({ path, section }: FoundSetting): string =>
  isRecordPath(path) ? path : `${path}/${encodeURIComponent(section)}`;

/** The changes with these settings, each with the value that the device has; those of a section are one change. */
export function withSettings(changes: readonly Spec[], settings: readonly FoundSetting[]): readonly Spec[] {
  return settings.reduce<readonly Spec[]>(
    (all, setting) => {
      const path = pathOf(setting);
      const data = { [setting.option]: setting.values[0]?.value ?? '' };
      const at = all.findIndex((one) => one['path'] === path && one['action'] === 'update');
      if (at < 0) return [...all, { action: 'update', path, data }];
      const known = all[at]!['data'];
      return all.with(at, { ...all[at], data: { ...data, ...(isSpec(known) ? known : {}) } });
    },
    changes.filter((one) => !isBlankChange(one)),
  );
}
