import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { type Schema } from '../../api/client.js';
import { shellWord } from '../../api/equivalents.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { TextField } from '../../ui/field.js';
import { Failure } from '../../ui/messages.js';
import { deviceAnswer, gatewayPath } from '../device-api/device-call.js';
import { reasonOf } from './pending-change.js';
import { formOptions, type Section, valueText } from './section-values.js';
import { sectionText } from './section-title.js';
import { writePath } from './section-form.js';
import { type Service } from './services.js';

interface RemoveSectionProps {
  device: Schema<'Device'>;
  service: Service;
  section: Section;
  title: string;
}

/** Removes a section of a list, after what it holds was shown and the name of the device was typed. */
export function RemoveSection({ device, service, section, title }: RemoveSectionProps): ReactNode {
  const [isAsking, setAsking] = useState(false);
  const [reason, setReason] = useState('');
  const one = service.words.one ?? 'entry';
  const call = { method: 'DELETE', path: writePath(service, section) };
  const remove = useAction({
    run: () => deviceAnswer(device.id, { ...call, ...reasonOf(reason) }),
    done: `The ${one} is removed from the device`,
    refreshes: ['device-configuration', 'device', 'audit'],
    after: () => setAsking(false),
    quiet: true,
  });
  return (
    <div>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        Remove this {one}
      </Button>
      {isAsking && (
        <Confirm
          title={`Remove ${sectionText(one, title)}`}
          send={`Remove ${one}`}
          typed={device.name}
          busy={remove.isPending}
          equivalent={{
            command: `call delete ${shellWord(device.name)} ${shellWord(call.path)}`,
            method: call.method,
            path: gatewayPath(`name:${encodeURIComponent(device.name)}`, call.path),
          }}
          onConfirm={() => remove.mutate()}
          onClose={() => setAsking(false)}
        >
          <div className="stack">
            <p>
              It is removed from {device.name} at once. The gateway does not bring it back; a backup from before has it.
            </p>
            <Held service={service} section={section} />
            <TextField
              label="Reason"
              hint="For the audit log; some gateways require it"
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
            {remove.error ? <Failure error={remove.error} /> : null}
          </div>
        </Confirm>
      )}
    </div>
  );
}

/** What is lost. */
function Held({ service, section }: Pick<RemoveSectionProps, 'service' | 'section'>): ReactNode {
  const held = formOptions(section, service.options, service.name).filter(
    ({ text, isHidden }) => text !== '' || isHidden,
  );
  return (
    <dl className="facts small">
      {held.map((option) => [
        <dt key={option.name}>{option.words.title}</dt>,
        <dd key={`${option.name}-value`} className="foreign">
          {option.isHidden
            ? 'a value that is not shown'
            : option.text
                .split('\n')
                .map((line) => valueText(option, line))
                .join(', ')}
        </dd>,
      ])}
    </dl>
  );
}
