import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { leaveFreely, useUnsaved } from '../../ui/leaving/unsaved.js';
import { useGo } from '../../ui/to.js';
import { deviceAnswer, gatewayPath } from '../device-api/device-call.js';
import { termOf } from '../devices/selector-text.js';
import { OptionField } from './option-field.js';
import { SectionDifference } from './section-difference.js';
import { changesOf, differenceOf, type FormOption, formOptions, isMarker, type Section } from './section-values.js';
import { type Service } from './services.js';

interface SectionFormProps {
  device: Schema<'Device'>;
  service: Service;
  section: Section;
}

/** One section as a form. Only options that were changed are sent. */
export function SectionForm({ device, service, section }: SectionFormProps): ReactNode {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [reason, setReason] = useState('');
  const mayWrite = useMay('device.call_write') && service.canWrite;
  const options = formOptions(section, service.options);
  const changes = changesOf(options, typed);
  const names = Object.keys(changes);
  useUnsaved(names.length > 0);
  const call = { method: 'PUT', path: writePath(service, section), json: { data: changes } };
  const go = useGo();
  // What was typed goes along.
  const applyToOthers = (model: string) =>
    leaveFreely(() => {
      const spec = specText(call.path, changes);
      go('/rollouts/new', { kind: 'configure', selector: likeIt(device, model), spec });
    });
  const save = useAction({
    run: () => deviceAnswer(device.id, { ...call, ...(reason ? { reason } : {}) }),
    done: 'The device took the changes',
    refreshes: ['device-configuration', 'device', 'audit'],
    after: () => setTyped({}),
    quiet: true,
  });
  const hasMarker = Object.values(changes).some((value) => [value].flat().some(isMarker));
  return (
    <div className="stack">
      <OptionFields options={options} typed={typed} disabled={!mayWrite} onTyped={setTyped} />
      {names.length > 0 && (
        <>
          <SectionDifference rows={differenceOf(options, changes)} />
          <TextField
            label="Reason"
            hint="For the audit log; some gateways require it"
            value={reason}
            onChange={(event) => setReason(event.target.value.replaceAll(/[^\x20-\x7e]/g, ''))}
          />
          {save.error ? <Failure error={save.error} /> : null}
          <div className="row">
            <Button kind="primary" busy={save.isPending} disabled={hasMarker} onClick={() => save.mutate()}>
              Save {names.length} {names.length === 1 ? 'change' : 'changes'}
            </Button>
            <Button disabled={save.isPending} onClick={() => setTyped({})}>
              Discard
            </Button>
            {device.model && !hasMarker && !hasSecret(options, names) && (
              <Button
                title={`Plans a rollout to the devices of the model ${device.model}`}
                onClick={() => applyToOthers(device.model!)}
              >
                Apply to others like it
              </Button>
            )}
          </div>
          <EquivalentLines
            command={`call put ${shellWord(device.name)} ${shellWord(call.path)} -f body.json`}
            method="PUT"
            path={gatewayPath(`name:${encodeURIComponent(device.name)}`, call.path)}
            body={
              hasSecret(options, names) ? { data: Object.fromEntries(names.map((name) => [name, '…'])) } : call.json
            }
          />
        </>
      )}
    </div>
  );
}

/** All other devices of its model. */
const likeIt = ({ id }: Schema<'Device'>, model: string): string => `${termOf('model', model)} & !id=${id}`;

/** The same change as the parameters of a rollout. */
const specText = (path: string, data: object): string =>
  JSON.stringify({ changes: [{ action: 'update', path, data }] });

/** A typed secret is not shown in the lines to copy. */
const hasSecret = (options: readonly FormOption[], names: readonly string[]): boolean =>
  options.some(({ name, isSecret }) => isSecret && names.includes(name));

const writePath = ({ path, isRecord }: Service, { id }: Section): string =>
  isRecord || typeof id !== 'string' ? path : `${path}/${encodeURIComponent(id)}`;

interface OptionFieldsProps {
  options: readonly FormOption[];
  typed: Readonly<Record<string, string>>;
  disabled: boolean;
  onTyped: (typed: Readonly<Record<string, string>>) => void;
}

/** Options with a value first; the others are folded away. */
function OptionFields({ options, typed, disabled, onTyped }: OptionFieldsProps): ReactNode {
  const isUsed = ({ text, isHidden }: FormOption) => text !== '' || isHidden;
  const field = (option: FormOption) => (
    <OptionField
      key={option.name}
      option={option}
      text={typed[option.name] ?? option.text}
      disabled={disabled}
      onText={(text) => onTyped({ ...typed, [option.name]: text })}
    />
  );
  const rest = options.filter((option) => !isUsed(option));
  return (
    <>
      <div className="option-fields">{options.filter(isUsed).map(field)}</div>
      {rest.length > 0 && (
        <details className="equivalent">
          <summary className="small quiet">{rest.length} options without a value</summary>
          <div className="option-fields">{rest.map(field)}</div>
        </details>
      )}
    </>
  );
}
