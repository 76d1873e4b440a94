import { countText, numberText, pluralText } from '../../api/amount-text.js';

/* Why a device has had more backup jobs than it has backups. Pure. */

interface BackupJob {
  readonly outcome: string | null;
  readonly result: unknown;
}

const isUnchanged = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'unchanged' in result && result.unchanged === true;

/**
 * `10 jobs: 7 found nothing new to store`. @param jobs of the device that made backups @param stored how many backups it has
 * @param hasMore there are older jobs that were not read
 */
export function backupJobsText(jobs: readonly BackupJob[], stored: number, hasMore = false): string {
  const made = jobs.filter(({ outcome }) => outcome === 'succeeded');
  const same = made.filter(({ result }) => isUnchanged(result)).length;
  const gone = made.length - same - stored;
  if (made.length <= stored || hasMore) return 'all that are stored';
  const parts = [
    same > 0 && `${numberText(same)} found nothing new to store`,
    gone > 0 && `${numberText(gone)} ${pluralText(gone, 'was', 'were')} deleted since`,
  ];
  return `${countText(made.length, 'job')}: ${parts.filter(Boolean).join(', ')}`;
}
