import { type ReactNode } from 'react';
import { useAction } from '../../../api/action.js';
import { countText, numberText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { FormDialog } from '../../../ui/dialog.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { Failure } from '../../../ui/messages.js';
import { CHANGED, SideBySide } from '../../../ui/sides/side-by-side.js';
import { useGo } from '../../../ui/to.js';
import { type DriftGroup } from '../drift-groups.js';
import { type Difference, differenceWords, isFieldOf, keyName, tokensOf } from '../item-words.js';
import { countOf, OPEN_STATES } from '../sync-words.js';

/** A secret is a fingerprint, and whole sections are added in the draft. */
export const canBeAccepted = ({ option, is, seen }: Difference): boolean =>
  option !== null && (is === 'different' || is === 'normalised') && !JSON.stringify(seen ?? null).includes('"hmac:');

interface AcceptProps {
  readonly template: Schema<'Template'>;
  /** All that differs; null: only a part of it is known. */
  readonly groups: readonly DriftGroup[] | null;
  readonly group: DriftGroup;
  readonly onClose: () => void;
}

/** Takes what devices have into the draft, or into their custom field where the option is one. */
export function AcceptDifference({ template: of, groups, group, onClose }: AcceptProps): ReactNode {
  const { name: template } = of;
  const { difference, devices } = group;
  const isField = isFieldOf(of.items, difference);
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
      fields === 0
        ? `Accepted into the draft of ${template}; publish it next`
        : `Accepted into the custom field of ${countText(fields, 'device')}`,
    refreshes: ['templates', 'devices'],
    after: (fields) => {
      onClose();
      if (fields === 0) go(`/templates/${template}`, { tab: 'draft' });
    },
    quiet: true,
  });
  return (
    <FormDialog
      title={
        isField ? `Accept into the custom field of ${countText(devices.length, 'device')}` : 'Accept into the template'
      }
      send={isField ? 'Accept into the custom field' : 'Accept into the template'}
      busy={accept.isPending}
      onSend={() => accept.mutate()}
      onClose={onClose}
    >
      <SideBySide heads={CHANGED} lines={[{ what, hint: tokensOf(difference), one: wanted, other: seen }]} />
      {isField ? (
        <p>
          The template takes this value from a custom field. The field of {countText(devices.length, 'device')} is set
          to it at once. No router changes.
        </p>
      ) : (
        <p>
          The draft of {template} gets this value. No router changes, and nothing differs otherwise before you publish
          it. {groups && <strong>{effectOf(of, groups, group)}</strong>}
        </p>
      )}
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

/** Of the devices that are compared: what has the value of the template now has another one than the draft then. */
function effectOf(
  { sync }: Schema<'Template'>,
  groups: readonly DriftGroup[],
  { difference, devices }: DriftGroup,
): string {
  const isSame = ({ path, key, option }: Difference) =>
    path === difference.path && option === difference.option && keyName(key) === keyName(difference.key);
  const now = groups.filter((one) => isSame(one.difference)).reduce((sum, one) => sum + one.devices.length, 0);
  const compared = countOf(sync, ['in_sync', ...OPEN_STATES, 'suspended']);
  return `After publishing, ${countText(Math.max(0, compared - devices.length), 'device')} will differ in this setting instead of ${numberText(now)}.`;
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
