import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { useAction } from '../../api/action.js';
import { api } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextField } from '../../ui/field.js';
import { useScene } from './form-scene.js';
import styles from './job-forms.module.css';

interface SealedFieldProps {
  label: string;
  /** What it is, such as `password`. */
  secret: string;
  /** What happens where none is given. */
  none: string;
  /** The choice to give one. */
  some?: string | undefined;
  /** The id of the sealed value; null: one is to be typed. */
  value: unknown;
  set: (value: unknown) => void;
  wrong: string | null;
}

/**
 * A secret of a job. Parameters are stored and shown, so they name a sealed value: what is typed goes to the gateway, which
 * seals it, and is nowhere in the form afterwards.
 */
export function SealedField({ label, secret, none, some, value, set, wrong }: SealedFieldProps): ReactNode {
  const isSealed = typeof value === 'string';
  return (
    <div className={styles['sealed']}>
      <SelectField
        label={label}
        wrong={isSealed ? wrong : null}
        value={isSealed ? 'sealed' : value === null ? 'typed' : ''}
        options={[
          ['', none],
          ['typed', some ?? `Type a ${secret}`],
          ...(isSealed ? ([['sealed', 'Sealed in the gateway']] as const) : []),
        ]}
        onChange={(event) => set(event.target.value === 'typed' ? null : undefined)}
      />
      {value === null && <SealForm label={label} secret={secret} onSealed={set} />}
    </div>
  );
}

interface SealFormProps {
  label: string;
  secret: string;
  onSealed: (id: string) => void;
}

function SealForm({ label, secret, onSealed }: SealFormProps): ReactNode {
  const [text, setText] = useState('');
  const { sealedDays } = useScene();
  const seal = useAction({
    run: () => api.post('/v1/sealed-values', { body: { label: `${label} for a job`, value: text, days: sealedDays } }),
    done: `The ${secret} is sealed`,
    after: ({ id }) => onSealed(id),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault(); // it would send the form without the secret
    if (text !== '') seal.mutate();
  };
  return (
    <div className={styles['seal']}>
      <TextField
        label={`The ${secret}`}
        type="password"
        autoComplete="new-password"
        hint={`Kept sealed for ${countText(sealedDays, 'day')}. No one sees it in the job.`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <Button busy={seal.isPending} disabled={text === ''} onClick={() => seal.mutate()}>
        Seal it
      </Button>
    </div>
  );
}
