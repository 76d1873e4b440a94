import { type ReactNode, useRef, useState } from 'react';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { leaveFreely, placeNow, useUnsaved } from '../../ui/leaving/unsaved.js';
import { useGo } from '../../ui/to.js';
import { deviceAnswer } from '../device-api/device-call.js';
import { termOf } from '../devices/selector-text.js';
import { useFocusOption, useWantedOption } from './finding/wanted.js';
import { OptionFields } from './option-fields.js';
import { PendingChange, reasonOf, SectionDifference } from './pending-change.js';
import { RemoveSection } from './remove-section.js';
import { changesOf, differenceOf, type FormOption, formOptions, type Section, type Typed } from './section-values.js';
import { type Service } from './services.js';
import { useProblems } from './use-problems.js';

interface SectionFormProps {
  device: Schema<'Device'>;
  service: Service;
  section: Section;
  /** Of one of a list. */
  title?: string;
  /** The service has no other section. */
  isOnly?: boolean;
}

/** One section as a form. Only options that were changed are sent. */
export function SectionForm({ device, service, section, title = '', isOnly = false }: SectionFormProps): ReactNode {
  const [typed, setTyped] = useState<Typed>({});
  const [reason, setReason] = useState('');
  const mayWrite = useMay('device.call_write') && service.canWrite;
  const options = formOptions(section, service.options, service.name);
  const changes = changesOf(options, typed);
  const names = Object.keys(changes);
  useUnsaved(names.length > 0);
  const call = { method: 'PUT', path: writePath(service, section), json: { data: changes } };
  const applyToOthers = useApplyToOthers(device, call.path, changes);
  const save = useAction({
    run: () => deviceAnswer(device.id, { ...call, ...reasonOf(reason) }),
    done: 'The device took the changes',
    refreshes: ['device-configuration', 'device', 'audit'],
    after: () => setTyped({}),
    quiet: true,
  });
  const { atFields, isWrong, error, sent } = useProblems(options, typed, save.error);
  const isSecret = hasSecret(options, names);
  const send = () => {
    sent();
    save.mutate();
  };
  const form = useRef<HTMLDivElement>(null);
  useFocusOption(form, useWantedOption(section['id'], isOnly));
  return (
    <div className="stack" ref={form}>
      <OptionFields options={options} typed={typed} problems={atFields} disabled={!mayWrite} onTyped={setTyped} />
      {names.length > 0 && (
        <PendingChange
          title={countText(names.length, 'change')}
          difference={<SectionDifference rows={differenceOf(options, changes)} />}
          device={device}
          call={isSecret ? { ...call, json: { data: Object.fromEntries(names.map((name) => [name, '…'])) } } : call}
          reason={reason}
          error={error}
          onReason={setReason}
        >
          <Button kind="primary" busy={save.isPending} disabled={isWrong} onClick={send}>
            Save {countText(names.length, 'change')}
          </Button>
          <Button disabled={save.isPending} onClick={() => setTyped({})}>
            Discard
          </Button>
          {device.model && !isWrong && !isSecret && (
            <Button title={`Plans a rollout to the devices of the model ${device.model}`} onClick={applyToOthers}>
              Apply to others like it
            </Button>
          )}
        </PendingChange>
      )}
      {mayWrite && service.canDelete && (
        <RemoveSection device={device} service={service} section={section} title={title} />
      )}
    </div>
  );
}

/** Opens a rollout with the same change, to all other devices of its model. What was typed goes along. */
function useApplyToOthers({ id, model }: Schema<'Device'>, path: string, data: object): () => void {
  const go = useGo();
  const spec = JSON.stringify({ changes: [{ action: 'update', path, data }] });
  return () =>
    leaveFreely(placeNow(), () =>
      go('/rollouts/new', { kind: 'configure', selector: `${termOf('model', model ?? '')} & !id=${id}`, spec }),
    );
}

/** A typed secret is not shown in the lines to copy. */
const hasSecret = (options: readonly FormOption[], names: readonly string[]): boolean =>
  options.some(({ name, isSecret }) => isSecret && names.includes(name));

/** Where a section is written. */
export const writePath = ({ path, isRecord }: Service, { id }: Section): string =>
  isRecord || typeof id !== 'string' ? path : `${path}/${encodeURIComponent(id)}`;
