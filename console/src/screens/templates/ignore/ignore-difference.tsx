import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { shellWord } from '../../../api/equivalents.js';
import { FormDialog } from '../../../ui/dialog.js';
import { SelectionPreview, usePreview } from '../../../ui/devices/selection-preview.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { JUDGED, SideBySide } from '../../../ui/sides/side-by-side.js';
import { inHours } from '../../monitoring/mute-lengths.js';
import { type DriftGroup } from '../drift-groups.js';
import { sideOf } from '../item-words.js';

const LENGTHS = [
  ['24', 'for a day'],
  ['168', 'for a week'],
  ['720', 'for 30 days'],
  ['2160', 'for 90 days'],
] as const;

const AFTER: Readonly<Record<string, string>> = {
  '24': 'After a day',
  '168': 'After a week',
  '720': 'After 30 days',
  '2160': 'After 90 days',
};

/** A selector has at most 16,000 characters. */
const NAMED_MAX = 300;

interface IgnoreProps {
  readonly template: Schema<'Template'>;
  readonly group: DriftGroup;
  readonly onClose: () => void;
}

/** Lets an option be on some devices for a time. */
export function IgnoreDifference({ template, group: { difference, devices }, onClose }: IgnoreProps): ReactNode {
  const { name, selector: reach } = template;
  const [which, setWhich] = useState(devices.length > NAMED_MAX ? 'all' : 'these');
  const [typed, setTyped] = useState(reach ?? '');
  const [hours, setHours] = useState('168');
  const [reason, setReason] = useState('');
  const selector = selectorOf(which, devices, typed);
  const preview = usePreview(which === 'others' ? selector : null, 'template.publish');
  const { path, key, option } = difference;
  const body = { path, key, option: option!, selector, reason: reason.trim() };
  const params = { path: { templateName: name } };
  const ignore = useAction({
    run: () =>
      api.post('/v1/templates/{templateName}/ignored', { params, body: { ...body, until: inHours(Number(hours)) } }),
    done: 'Ignored; the states follow in a moment',
    refreshes: ['templates'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={`Ignore on ${which === 'these' ? countText(devices.length, 'device') : 'devices of the template'}`}
      send="Ignore"
      busy={ignore.isPending}
      disabled={body.reason === '' || selector === '' || (which === 'others' && !preview.data)}
      missing={[selector === '' && 'devices', body.reason === '' && 'a reason']}
      onSend={() => ignore.mutate()}
      onClose={onClose}
    >
      <SideBySide heads={JUDGED} lines={[sideOf(difference)]} />
      <p className="quiet">
        No job or rollout of {name} sets it on these devices. {AFTER[hours]} it counts as a difference again.
      </p>
      <SelectField
        label="Devices"
        value={which}
        options={choices(devices.length)}
        onChange={(event) => setWhich(event.target.value)}
      />
      {which === 'others' && (
        <>
          <TextField
            label="Selector"
            hint="Of these, the devices of the template"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          {selector !== '' && <SelectionPreview preview={preview} />}
        </>
      )}
      <SelectField
        label="How long"
        value={hours}
        options={LENGTHS}
        onChange={(event) => setHours(event.target.value)}
      />
      <TextField
        label="Reason"
        placeholder="The new switch comes in spring"
        maxLength={500}
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      {ignore.error ? <Failure error={ignore.error} /> : null}
      <EquivalentLines
        command={commandOf(name, body)}
        method="POST"
        path={`/v1/templates/${name}/ignored`}
        body={body}
      />
    </FormDialog>
  );
}

const choices = (count: number): readonly (readonly [string, string])[] => [
  ...(count > NAMED_MAX
    ? []
    : [['these', `${countText(count, 'device')} that differ${count === 1 ? 's' : ''} now`] as const]),
  ['all', 'All devices of the template'],
  ['others', 'Those of a selector'],
];

function selectorOf(which: string, devices: DriftGroup['devices'], typed: string): string {
  if (which === 'these') return devices.map(({ deviceId }) => `id:${deviceId}`).join(' | ');
  return which === 'all' ? 'all' : typed.trim();
}

type Body = Omit<Schema<'IgnoreOption'>, 'until'>;

const commandOf = (template: string, { path, key = {}, option, selector, reason }: Body): string =>
  [
    `template ignore ${template} --path ${path} --option ${shellWord(option)} -l ${shellWord(selector || 'SELECTOR')}`,
    `--until TIME --reason ${shellWord(reason || 'REASON')}`,
    ...Object.entries(key).map(([name, value]) => `--set ${shellWord(`key.${name}=${value}`)}`),
  ].join(' ');
