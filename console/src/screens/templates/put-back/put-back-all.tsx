import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText, numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { CheckField, TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { useGo } from '../../../ui/to.js';
import { countOf, OPEN_STATES, type OpenState, PLAN, planTitle, SYNC_WORDS } from '../sync-words.js';
import { StateMeanings } from '../sync-bar.js';
import { differingQuery } from '../template-queries.js';
import styles from '../templates.module.css';
import { AcceptRisk } from './put-back-parts.js';

/** Makes the draft of a rollout over all devices that differ, or those in some of the states. */
export function PutBackAll({
  template: { name, sync },
  onClose,
}: {
  template: Schema<'Template'>;
  onClose: () => void;
}): ReactNode {
  const present = OPEN_STATES.filter((state) => (sync[state] ?? 0) > 0);
  const [states, setStates] = useState<readonly OpenState[]>(present);
  const [acceptRisk, setAcceptRisk] = useState(false);
  const [title, setTitle] = useState('');
  const { data } = useQuery(differingQuery(name));
  const rows = (data?.rows ?? []).filter(({ state }) => states.some((one) => one === state));
  const go = useGo();
  const body = { ...(title.trim() === '' ? {} : { name: title.trim() }), states: [...states], acceptRisk };
  const make = useAction({
    run: () => api.post('/v1/templates/{templateName}/rollout', { params: { path: { templateName: name } }, body }),
    done: 'Rollout planned; nothing happens before it is started',
    refreshes: ['rollouts'],
    after: ({ id }) => {
      onClose();
      go(`/rollouts/${id}`);
    },
    quiet: true,
  });
  return (
    <FormDialog
      title={planTitle(countOf(sync, states))}
      send={PLAN}
      busy={make.isPending}
      disabled={states.length === 0}
      onSend={() => make.mutate()}
      onClose={onClose}
    >
      <p>
        Changes no router now. It makes the draft of a rollout that applies {name} to{' '}
        {countText(countOf(sync, states), 'device')}, a canary first. Look at its plan, then start it there.
      </p>
      <fieldset className={styles['states']}>
        <legend className="small quiet">Devices in these states</legend>
        {present.map((state) => (
          <CheckField
            key={state}
            label={`${SYNC_WORDS[state][1]} (${numberText(sync[state] ?? 0)})`}
            checked={states.includes(state)}
            onChange={({ target }) =>
              setStates(present.filter((one) => (one === state ? target.checked : states.includes(one))))
            }
          />
        ))}
      </fieldset>
      <TextField
        label="Name of the rollout"
        placeholder={`set to ${name}`}
        maxLength={80}
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <StateMeanings of={present} />
      <AcceptRisk
        of={rows.flatMap(({ differences }) => differences)}
        isPart={!data || data.isPart || rows.some(({ moreDifferences }) => moreDifferences > 0)}
        isAccepted={acceptRisk}
        onChange={setAcceptRisk}
      />
      {make.error ? <Failure error={make.error} /> : null}
      <EquivalentLines
        command={`template rollout ${name} --states ${states.join(',')}${acceptRisk ? ' --accept-risk true' : ''}`}
        method="POST"
        path={`/v1/templates/${name}/rollout`}
        body={body}
      />
    </FormDialog>
  );
}
