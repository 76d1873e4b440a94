import { type ReactNode, useState } from 'react';
import { CheckField, TextField } from '../../ui/field.js';
import css from './system.module.css';

/* Which events a webhook gets: all of a noun by one box, single types by their names. */

const USUAL = [
  ['alert', 'Alerts'],
  ['rollout', 'Rollouts'],
  ['system', 'Warnings'],
  ['job', 'Jobs'],
  ['device', 'Devices'],
  ['approval', 'Approvals'],
] as const;

const MORE = [
  ['lock', 'Locks'],
  ['fanout', 'Stored bulk queries'],
  ['discovery', 'Searches'],
  ['artifact', 'Files'],
  ['audit', 'Audit checkpoints'],
  ['backup', 'Backup policies'],
  ['schedule', 'Schedules'],
  ['webhook', 'Webhooks'],
] as const;

const TITLES: ReadonlyMap<string, string> = new Map([...USUAL, ...MORE].map(([noun, title]) => [`${noun}.*`, title]));

/** Types in words: `Alerts, rollouts, warnings`; single types keep their names. */
export function typesText(types: readonly string[]): string {
  const text = types.map((type) => TITLES.get(type)?.toLowerCase() ?? SINGLE[type] ?? type).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const SINGLE: Readonly<Record<string, string>> = {
  'rule.notified': 'alerts of a rule together',
  'job.ended': 'ended jobs',
  'device.offline': 'devices that go offline',
};

export interface TypeChoice {
  readonly nouns: readonly string[];
  /** Single types as they were typed. */
  readonly others: string;
}

export const typeChoice = (types: readonly string[]): TypeChoice => ({
  nouns: types.filter((type) => TITLES.has(type)),
  others: types.filter((type) => !TITLES.has(type)).join(', '),
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

/** The usual kinds; the others, and single events, are folded until one of them is chosen. */
export function EventTypes({ choice, wrong, onChange }: EventTypesProps): ReactNode {
  const toggle = (type: string, on: boolean) =>
    onChange({ ...choice, nouns: on ? [...choice.nouns, type] : choice.nouns.filter((other) => other !== type) });
  const boxes = ([noun, title]: readonly [noun: string, title: string]) => (
    <CheckField
      key={noun}
      label={title}
      checked={choice.nouns.includes(`${noun}.*`)}
      onChange={(event) => toggle(`${noun}.*`, event.target.checked)}
    />
  );
  const [isMoreUsed] = useState(choice.others !== '' || MORE.some(([noun]) => choice.nouns.includes(`${noun}.*`)));
  return (
    <>
      <fieldset className={css.types}>
        <legend>All events of</legend>
        {USUAL.map(boxes)}
      </fieldset>
      <details className="equivalent" open={isMoreUsed || wrong !== null}>
        <summary className="small quiet">More kinds</summary>
        <div className="stack">
          <fieldset className={css.types}>
            <legend>All events of</legend>
            {MORE.map(boxes)}
          </fieldset>
          <TextField
            label="Single events"
            value={choice.others}
            placeholder="job.ended, device.offline"
            hint="Names of events, with commas between them."
            wrong={wrong}
            onChange={(event) => onChange({ ...choice, others: event.target.value })}
          />
        </div>
      </details>
    </>
  );
}
