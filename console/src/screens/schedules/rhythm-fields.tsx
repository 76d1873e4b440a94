import { type ReactNode } from 'react';
import { SelectField, TextField } from '../../ui/field.js';
import { PRESETS } from './rhythm.js';
import styles from './schedules.module.css';

const OTHER = 'other';

interface RhythmFieldsProps {
  cron: string;
  onCron: (cron: string) => void;
  /** Whose clock it is. */
  timeZone?: string | undefined;
  wrong?: string | null | undefined;
  /** What it has, where that is no time of cron: then an empty `cron` leaves it so. */
  present?: string | null;
}

/** When something runs: a usual time, or five fields of cron. */
export function RhythmFields({ cron, onCron, timeZone, wrong, present = null }: RhythmFieldsProps): ReactNode {
  const isPreset = PRESETS.some(([preset]) => preset === cron);
  return (
    <div className={styles['rhythm']}>
      <SelectField
        label="When"
        value={isPreset || cron === '' ? cron : OTHER}
        hint={timeZone && `In the time zone ${timeZone}`}
        options={[
          ...(present === null || cron !== '' ? [] : [['', present] as const]),
          ...PRESETS,
          [OTHER, 'Another time'],
        ]}
        onChange={({ target: { value } }) => onCron(value === OTHER ? '15 4 * * 1-5' : value)}
      />
      <TextField
        label="Cron"
        hint="Minute, hour, day, month, weekday"
        wrong={wrong}
        className="input mono"
        spellCheck={false}
        value={cron}
        onChange={(event) => onCron(event.target.value)}
      />
    </div>
  );
}
