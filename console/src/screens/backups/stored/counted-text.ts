import { type components } from '../../../../../src/api-client/openapi.js';
import { countText } from '../../../api/amount-text.js';
import { fileChanges } from '../file-changes.js';

/* A difference of two backups as a number of settings. Pure. */

type Diff = Pick<components['schemas']['BackupDiff'], 'same' | 'files' | 'cut'>;

/** `3 settings changed`, `1 file changed`; empty: nothing that is shown. */
export function countedText({ same, files, cut }: Diff): string {
  if (same) return 'No change';
  const settings = files.reduce((sum, { name, lines }) => sum + fileChanges(name, lines ?? []).length, 0);
  const others = files.filter(({ lines }) => lines === null || lines.length === 0).length;
  const parts = [settings > 0 && countText(settings, 'setting'), others > 0 && countText(others, 'file')].filter(
    Boolean,
  );
  return parts.length === 0 ? '' : `${cut ? 'More than ' : ''}${parts.join(' and ')} changed`;
}
