import { type ReactNode } from 'react';
import { SelectField, TextField } from '../../ui/field.js';
import { PRESETS } from './rhythm.js';
import styles from './schedules.module.css';

interface RhythmFieldsProps {
  cron: string;
  onCron: (cron: string) => void;
  /** Whose clock it is. */
  timeZone?: string;
  wrong?: string | null | undefined;
}

/** When something runs: a usual time, or five fields of cron. */
export function RhythmFields({ cron, onCron, timeZone, wrong }: RhythmFieldsProps): ReactNode {
  const isPreset = PRESETS.some(([preset]) => preset === cron);
  return (
    <div className={styles['rhythm']}>
      <SelectField
        label="When"
        value={isPreset ? cron : ''}
        hint={timeZone && `In the time zone ${timeZone}`}
        options={[...PRESETS, ['', 'Another time']]}
        onChange={(event) => onCron(event.target.value || '15 4 * * 1-5')}
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
