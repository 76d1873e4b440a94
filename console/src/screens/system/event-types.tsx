import { type ReactNode } from 'react';
import { CheckField, TextField } from '../../ui/field.js';
import css from './system.module.css';

/* Which events a webhook gets: all of a noun by one box, single types by their names. */

const NOUNS = [
  ['job', 'Jobs'],
  ['rollout', 'Rollouts'],
  ['device', 'Devices'],
  ['alert', 'Alerts'],
  ['approval', 'Approvals'],
  ['lock', 'Locks'],
  ['system', 'Warnings'],
  ['fanout', 'Stored bulk queries'],
  ['discovery', 'Searches'],
  ['artifact', 'Files'],
  ['audit', 'Audit checkpoints'],
  ['backup', 'Backup policies'],
  ['schedule', 'Schedules'],
  ['webhook', 'Webhooks'],
] as const;

const ALL: ReadonlySet<string> = new Set(NOUNS.map(([noun]) => `${noun}.*`));

export interface TypeChoice {
  readonly nouns: readonly string[];
  /** Single types as they were typed. */
  readonly others: string;
}

export const typeChoice = (types: readonly string[]): TypeChoice => ({
  nouns: types.filter((type) => ALL.has(type)),
  others: types.filter((type) => !ALL.has(type)).join(', '),
});

export const chosenTypes = ({ nouns, others }: TypeChoice): string[] => [
  ...nouns,
  ...others
    .split(/[\s,]/)
    .filter((type) => type !== '')
    .map((type) => type.toLowerCase()),
];

interface EventTypesProps {
  choice: TypeChoice;
  wrong: string | null;
  onChange: (choice: TypeChoice) => void;
}

export function EventTypes({ choice, wrong, onChange }: EventTypesProps): ReactNode {
  const toggle = (type: string, on: boolean) =>
    onChange({ ...choice, nouns: on ? [...choice.nouns, type] : choice.nouns.filter((other) => other !== type) });
  return (
    <>
      <fieldset className={css.types}>
        <legend>All events of</legend>
        {NOUNS.map(([noun, title]) => (
          <CheckField
            key={noun}
            label={title}
            checked={choice.nouns.includes(`${noun}.*`)}
            onChange={(event) => toggle(`${noun}.*`, event.target.checked)}
          />
        ))}
      </fieldset>
      <TextField
        label="Single events"
        value={choice.others}
        placeholder="job.ended, device.offline"
        hint="Types of the API, with commas between them."
        wrong={wrong}
        onChange={(event) => onChange({ ...choice, others: event.target.value })}
      />
    </>
  );
}
