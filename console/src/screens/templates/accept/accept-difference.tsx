import { type ReactNode } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure } from '../../../ui/messages.js';
import changes from '../../../ui/rows/changes.module.css';
import { useGo } from '../../../ui/to.js';
import { type DriftGroup } from '../drift-groups.js';
import { type Difference, differenceWords } from '../item-words.js';

/** A secret is a fingerprint, and whole sections are added in the draft. */
export const canBeAccepted = ({ option, is, seen }: Difference): boolean =>
  option !== null && (is === 'different' || is === 'normalised') && !JSON.stringify(seen ?? null).includes('"hmac:');

interface AcceptProps {
  readonly template: string;
  readonly group: DriftGroup;
  readonly onClose: () => void;
}

/** Takes what devices have into the draft, or into their custom field where the option is one. */
export function AcceptDifference({ template, group: { difference, devices }, onClose }: AcceptProps): ReactNode {
  const go = useGo();
  const { what, seen, wanted } = differenceWords(difference);
  const body = { path: difference.path, key: difference.key, option: difference.option! };
  const accept = useAction({
    run: () =>
      acceptOn(
        template,
        devices.map(({ deviceId }) => deviceId),
        body,
      ),
    done: (fields) =>
      fields === 0 ? 'The draft has it; publish it next' : `The custom field of ${countText(fields, 'device')} has it`,
    refreshes: ['templates', 'devices'],
    after: (fields) => {
      onClose();
      if (fields === 0) go(`/templates/${template}`, { tab: 'draft' });
    },
    quiet: true,
  });
  return (
    <FormDialog
      title={`Accept what ${countText(devices.length, 'device')} ${devices.length === 1 ? 'has' : 'have'}`}
      send="Accept"
      busy={accept.isPending}
      onSend={() => accept.mutate()}
      onClose={onClose}
    >
      <p className={changes['changes']}>
        <span className="quiet foreign">{what}</span> <del className="foreign">{wanted}</del>{' '}
        <span aria-hidden="true">→</span> <ins className="foreign">{seen}</ins>
      </p>
      <p>
        Changes no router. The draft of {template} gets this value. When it is published, it holds for all devices of
        the template: those that have another value differ from then on.
      </p>
      <p className="small quiet">
        Where the template takes the value from a custom field, only the field of these devices is set, at once.
      </p>
      {accept.error ? <Failure error={accept.error} /> : null}
      <EquivalentLines
        command={commandOf(template, devices[0]!.deviceId, body)}
        method="POST"
        path={`/v1/templates/${template}/accept`}
        body={{ device: devices[0]!.deviceId, ...body }}
      />
    </FormDialog>
  );
}

const commandOf = (template: string, device: string, { path, key, option }: Accepted): string =>
  [
    `template accept ${template} --device ${device} --path ${path} --option ${shellWord(option)}`,
    ...Object.entries(key).map(([name, value]) => `--set ${shellWord(`key.${name}=${value}`)}`),
  ].join(' ');

type Accepted = Pick<Difference, 'path' | 'key'> & { readonly option: string };

/** One device is enough for the draft. @returns how many devices have it in a custom field */
async function acceptOn(templateName: string, devices: readonly string[], body: Accepted): Promise<number> {
  let fields = 0;
  for (const device of devices) {
    const params = { path: { templateName } };
    const { field } = await api.post('/v1/templates/{templateName}/accept', { params, body: { device, ...body } });
    if (field === null) return 0;
    fields++;
  }
  return fields;
}
