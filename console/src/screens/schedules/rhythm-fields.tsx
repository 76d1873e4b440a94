import { type ReactNode, useState } from 'react';
import { SelectField, TextField, TimeField } from '../../ui/field.js';
import { NextRuns } from './next-runs.js';
import styles from './schedules.module.css';
import { cronOf, FIRST_TIME, ordinal, type UsualTime, usualTimeOf, WEEKDAYS } from './usual-time.js';

const OTHER = 'other';

const EVERY = [
  ['day', 'Every day'],
  ['week', 'Each week on'],
  ['month', 'Each month on'],
  ['hour', 'Every hour'],
] as const;

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

/** When something runs: a usual time in words, or five fields of cron. */
export function RhythmFields({ cron, onCron, timeZone, wrong, zone, present = null }: RhythmFieldsProps): ReactNode {
  const usual = usualTimeOf(cron);
  const [isByCron, setByCron] = useState(cron !== '' && usual === null);
  const [hasPresent] = useState(present !== null && cron === '');
  const choose = (every: string) => {
    setByCron(every === OTHER);
    if (every === OTHER) onCron(cron === '' ? cronOf(FIRST_TIME) : cron);
    else if (every === '') onCron('');
    else onCron(cronOf({ ...(usual ?? FIRST_TIME), every: every as UsualTime['every'] }));
  };
  return (
    <div className={styles['rhythm']}>
      <SelectField
        label="When"
        value={isByCron ? OTHER : (usual?.every ?? '')}
        hint={!zone && timeZone && `In the time zone ${timeZone}`}
        options={[...(hasPresent ? [['', present ?? ''] as const] : []), ...EVERY, [OTHER, 'By cron …']]}
        onChange={({ target: { value } }) => choose(value)}
      />
      {isByCron ? (
        <TextField
          label="Cron"
          hint="Minute, hour, day, month, weekday"
          wrong={wrong}
          className="input mono"
          spellCheck={false}
          value={cron}
          onChange={(event) => onCron(event.target.value)}
        />
      ) : (
        usual && <UsualFields usual={usual} timeZone={timeZone} onUsual={(changed) => onCron(cronOf(changed))} />
      )}
      {zone}
      {cron !== '' && timeZone && <NextRuns cron={cron} timeZone={timeZone} />}
    </div>
  );
}

const MONTH_DAYS = Array.from({ length: 31 }, (_, at) => at + 1);

/** A month has this many days at least. */
const SHORTEST_MONTH = 28;

/** On which day, and at what time. */
function UsualFields({
  usual,
  timeZone,
  onUsual,
}: Pick<RhythmFieldsProps, 'timeZone'> & { usual: UsualTime; onUsual: (usual: UsualTime) => void }): ReactNode {
  const { every, time, weekday, monthDay } = usual;
  if (every === 'hour') return null;
  return (
    <>
      {every === 'week' && (
        <SelectField
          label="Weekday"
          value={String(weekday)}
          // A week begins with Monday.
          options={[1, 2, 3, 4, 5, 6, 0].map((day) => [String(day), WEEKDAYS[day] ?? ''])}
          onChange={({ target: { value } }) => onUsual({ ...usual, weekday: Number(value) })}
        />
      )}
      {every === 'month' && (
        <SelectField
          label="Day of the month"
          hint={monthDay > SHORTEST_MONTH && 'Months without this day are left out'}
          value={String(monthDay)}
          options={MONTH_DAYS.map((day) => [String(day), `the ${ordinal(day)}`])}
          onChange={({ target: { value } }) => onUsual({ ...usual, monthDay: Number(value) })}
        />
      )}
      <TimeField
        label="Time"
        type="time"
        zone={timeZone}
        required
        value={time}
        // A time that is typed in part is none yet.
        onChange={({ target: { value } }) => value !== '' && onUsual({ ...usual, time: value })}
      />
    </>
  );
}
