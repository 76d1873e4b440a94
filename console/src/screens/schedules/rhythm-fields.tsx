import { type ReactNode, useState } from 'react';
import { SelectField, TextField } from '../../ui/field.js';
import { NextRuns } from './next-runs.js';
import { PRESETS } from './rhythm.js';
import styles from './schedules.module.css';

const OTHER = 'other';

interface RhythmFieldsProps {
  cron: string;
  onCron: (cron: string) => void;
  /** Whose clock it is. */
  timeZone?: string | undefined;
  wrong?: string | null | undefined;
  /** The field of the time zone, where it can be chosen. */
  zone?: ReactNode;
  /** What it has, where that is no time of cron: then an empty `cron` leaves it so. */
  present?: string | null;
}

/** When something runs: a usual time, or five fields of cron. */
export function RhythmFields({ cron, onCron, timeZone, wrong, zone, present = null }: RhythmFieldsProps): ReactNode {
  const [isByCron, setByCron] = useState(cron !== '' && PRESETS.every(([preset]) => preset !== cron));
  return (
    <div className={styles['rhythm']}>
      <SelectField
        label="When"
        value={isByCron ? OTHER : cron}
        hint={!zone && timeZone && `In the time zone ${timeZone}`}
        options={[...(present === null ? [] : [['', present] as const]), ...PRESETS, [OTHER, 'By cron …']]}
        onChange={({ target: { value } }) => {
          setByCron(value === OTHER);
          onCron(value === OTHER ? '15 4 * * 1-5' : value);
        }}
      />
      {isByCron && (
        <TextField
          label="Cron"
          hint="Minute, hour, day, month, weekday"
          wrong={wrong}
          className="input mono"
          spellCheck={false}
          value={cron}
          onChange={(event) => onCron(event.target.value)}
        />
      )}
      {zone}
      {cron !== '' && timeZone && <NextRuns cron={cron} timeZone={timeZone} />}
    </div>
  );
}
