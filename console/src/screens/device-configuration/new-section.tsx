import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { TextField } from '../../ui/field.js';
import { useUnsaved } from '../../ui/leaving/unsaved.js';
import { deviceAnswer } from '../device-api/device-call.js';
import css from './device-configuration.module.css';
import { OptionFields } from './option-fields.js';
import { PendingChange, reasonOf, SectionDifference } from './pending-change.js';
import { changesOf, differenceOf, type FormOption, formOptions, linesOf, type Typed } from './section-values.js';
import { type Service } from './services.js';
import { useProblems } from './use-problems.js';

interface NewSectionProps {
  device: Schema<'Device'>;
  service: Service;
  onClose: () => void;
}

const NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** A section that is not on the device yet: what is needed first, and everything else that it may have. */
export function NewSection({ device, service, onClose }: NewSectionProps): ReactNode {
  const [typed, setTyped] = useState<Typed>({});
  const [reason, setReason] = useState('');
  const { words } = service;
  const options = formOptions({}, service.options, service.name);
  const changes = changesOf(options, typed);
  const id = typed['id'] ?? '';
  const call = { method: 'POST', path: service.path, json: { data: { ...(id ? { id } : {}), ...changes } } };
  useUnsaved(id !== '' || Object.keys(changes).length > 0);
  const add = useAction({
    run: () => deviceAnswer(device.id, { ...call, ...reasonOf(reason) }),
    done: `The device has the new ${words.one ?? 'entry'}`,
    refreshes: ['device-configuration', 'device', 'audit'],
    after: onClose,
    quiet: true,
  });
  const { atFields, isWrong, error, sent } = useProblems(options, typed, add.error, ['id']);
  const idProblem =
    id !== '' && !NAME.test(id) ? 'Letters, digits, - and _ alone; at most 32.' : (atFields['id'] ?? null);
  const missing = missingOf(service, options, typed);
  const send = () => {
    sent();
    add.mutate();
  };
  return (
    <section className={css.section} aria-label={`New ${words.one ?? 'entry'}`}>
      <h3>New {words.one ?? 'entry'}</h3>
      <div className="stack">
        {words.id !== 'made' && (
          <div className={css.fields}>
            <TextField
              label="Id"
              hint={
                words.id === 'given' ? 'Needed. Its name on the device, such as office' : 'Empty: the device makes one.'
              }
              wrong={idProblem}
              autoFocus
              autoComplete="off"
              spellCheck={false}
              value={id}
              onChange={(event) => setTyped({ ...typed, id: event.target.value })}
            />
          </div>
        )}
        <OptionFields options={options} typed={typed} problems={atFields} disabled={false} onTyped={setTyped} />
        <PendingChange
          title={`New ${words.one ?? 'entry'}`}
          difference={<SectionDifference rows={differenceOf(options, changes)} isNew />}
          device={device}
          call={call}
          reason={reason}
          error={error}
          onReason={setReason}
        >
          <Button
            kind="primary"
            busy={add.isPending}
            disabled={isWrong || idProblem !== null || missing.length > 0}
            onClick={send}
          >
            Add {words.one ?? 'entry'}
          </Button>
          <Button disabled={add.isPending} onClick={onClose}>
            Cancel
          </Button>
          {missing.length > 0 && <span className="small quiet">Still needed: {missing.join(', ')}.</span>}
        </PendingChange>
      </div>
    </section>
  );
}

/** The titles of what is needed and not typed yet. */
const missingOf = ({ words }: Service, options: readonly FormOption[], typed: Typed): readonly string[] => [
  ...(words.id === 'given' && !typed['id'] ? ['Id'] : []),
  ...options
    .filter(({ name, isRequired }) => isRequired && linesOf(typed[name] ?? '').length === 0)
    .map(({ words: { title } }) => title),
];
