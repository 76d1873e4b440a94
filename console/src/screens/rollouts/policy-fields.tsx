import { type ReactNode } from 'react';
import { Button, IconButton } from '../../ui/button.js';
import { CheckField, SelectField, TextField, TimeField } from '../../ui/field.js';
import {
  type Change,
  DAYS,
  numbersOf,
  numbersOfWave,
  type PlanForm,
  type TakeKind,
  wave,
  type WaveForm,
} from './plan-form.js';
import styles from './rollouts.module.css';

const TAKES = [
  ['count', 'Number of devices'],
  ['percent', 'Percent of all'],
  ['tag', 'With the tag'],
  ['site', 'At the site'],
  ['rest', 'All others'],
] as const;

interface Props {
  form: PlanForm;
  change: Change;
}

/** The waves, in their order. */
export function WaveFields({ form, change }: Props): ReactNode {
  const set = (at: number, changed: Partial<WaveForm>) =>
    change({ waves: form.waves.map((one, place) => (place === at ? { ...one, ...changed } : one)) });
  return (
    <div className="stack">
      {form.waves.map((one, at) => (
        <fieldset key={at} className={styles['waveFields']}>
          <legend>
            Wave {at + 1}
            {form.waves.length > 1 && (
              <IconButton
                icon="close"
                label={`Remove wave ${at + 1}`}
                onClick={() => change({ waves: form.waves.filter((_, place) => place !== at) })}
              />
            )}
          </legend>
          <OneWave one={one} set={(changed) => set(at, changed)} />
        </fieldset>
      ))}
      <div>
        <Button
          icon="plus"
          onClick={() =>
            change({
              waves: [...form.waves.slice(0, -1), wave({ take: 'percent', of: '25' }), ...form.waves.slice(-1)],
            })
          }
        >
          Add a wave
        </Button>
      </div>
    </div>
  );
}

function OneWave({ one, set }: { one: WaveForm; set: (changed: Partial<WaveForm>) => void }): ReactNode {
  const numbers = numbersOfWave(one);
  return (
    <>
      <TextField label="Name of the wave" value={one.name} onChange={(event) => set({ name: event.target.value })} />
      <SelectField
        label="Takes"
        value={one.take}
        options={TAKES}
        onChange={(event) => set({ take: event.target.value as TakeKind })}
      />
      {one.take !== 'rest' && (
        <TextField
          label={TAKES.find(([value]) => value === one.take)?.[1] ?? ''}
          value={one.of}
          wrong={numbers.of?.wrong}
          inputMode={one.take === 'count' || one.take === 'percent' ? 'numeric' : 'text'}
          onChange={(event) => set({ of: event.target.value })}
        />
      )}
      <TextField
        label="Must succeed, %"
        inputMode="numeric"
        value={one.successPercent}
        wrong={numbers.successPercent.wrong}
        onChange={(event) => set({ successPercent: event.target.value })}
      />
      <TextField
        label="Soak, minutes"
        inputMode="numeric"
        value={one.soakMinutes}
        wrong={numbers.soakMinutes.wrong}
        onChange={(event) => set({ soakMinutes: event.target.value })}
      />
      <CheckField
        label="Wait for a person"
        checked={one.isManual}
        onChange={(event) => set({ isManual: event.target.checked })}
      />
    </>
  );
}

/** When it pauses by itself, and how many devices run at once. */
export function ThresholdFields({ form, change }: Props): ReactNode {
  const { failures, percent, concurrency } = numbersOf(form);
  return (
    <div className={styles['formGrid']}>
      <TextField
        label="Pause at failures"
        hint="Devices; empty: no limit"
        inputMode="numeric"
        value={form.stopFailures}
        wrong={failures.wrong}
        onChange={(event) => change({ stopFailures: event.target.value })}
      />
      <TextField
        label="Pause at failures, %"
        hint="From 5 ended devices on"
        inputMode="numeric"
        value={form.stopPercent}
        wrong={percent.wrong}
        onChange={(event) => change({ stopPercent: event.target.value })}
      />
      <TextField
        label="At the same time"
        hint="Devices"
        inputMode="numeric"
        value={form.concurrency}
        wrong={concurrency.wrong}
        onChange={(event) => change({ concurrency: event.target.value })}
      />
    </div>
  );
}

/** Windows open by the clock of each device. */
const SITE_ZONE = 'clock of the device';

/** When devices may start. @param hasZone whether the time zone is chosen here, too */
export function WindowFields({ form, change, hasZone = true }: Props & { hasZone?: boolean }): ReactNode {
  const { window } = form;
  const set = (changed: Partial<NonNullable<typeof window>>) => window && change({ window: { ...window, ...changed } });
  return (
    <div className="stack">
      <CheckField
        label="Only in a maintenance window"
        checked={window !== null}
        onChange={(event) =>
          change({ window: event.target.checked ? { days: DAYS, from: '02:00', to: '04:00' } : null })
        }
      />
      {window && (
        <>
          <fieldset className={`row ${styles['days']}`}>
            <legend className="visually-hidden">Days</legend>
            {DAYS.map((day) => (
              <CheckField
                key={day}
                label={day}
                checked={window.days.includes(day)}
                onChange={() => set({ days: DAYS.filter((one) => window.days.includes(one) !== (one === day)) })}
              />
            ))}
          </fieldset>
          <div className={styles['formGrid']}>
            <TimeField
              label="Opens"
              type="time"
              zone={SITE_ZONE}
              value={window.from}
              onChange={(event) => set({ from: event.target.value })}
            />
            <TimeField
              label="Closes"
              type="time"
              zone={SITE_ZONE}
              value={window.to}
              onChange={(event) => set({ to: event.target.value })}
            />
          </div>
        </>
      )}
      {hasZone && (
        <TextField
          label="Time zone"
          hint="For devices without their own"
          value={form.timeZone}
          onChange={(event) => change({ timeZone: event.target.value })}
        />
      )}
    </div>
  );
}
