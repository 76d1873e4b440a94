import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { Ago } from '../../../ui/time.js';
import styles from '../backups.module.css';
import { equalTexts, type Known, updateAfter, whyText } from './backup-why.js';

type Backup = Schema<'Artifact'>;

interface WhyProps {
  of: Backup;
  /** Newest first. */
  rows: readonly Backup[];
  known: Known;
}

/** Why a backup was made, and whether it is the last one before other firmware. */
export function Why({ of, rows, known }: WhyProps): ReactNode {
  const update = updateAfter(of, rows, known);
  const text = whyText(of, known);
  return (
    <span className={styles['why']}>
      <span className="foreign cut" title={text}>
        {text}
      </span>
      {update && (
        <span className="small quiet">
          the last before the firmware update <Ago at={update} />
        </span>
      )}
    </span>
  );
}

/** Why backups without a change are stored. */
export function EqualBackups({ rows, known: { policies } }: { rows: readonly Backup[]; known: Known }): ReactNode {
  const texts = equalTexts(rows, policies);
  return texts.length > 0 && <p className="small quiet foreign">Why some have no change: {texts.join(' ')}</p>;
}
