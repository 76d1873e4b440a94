import { type ReactNode, useState } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { inHours } from '../../../api/clock.js';
import { shellWord } from '../../../api/equivalents.js';
import { selectorError } from '../../../api/problems.js';
import { FormDialog } from '../../../ui/dialog.js';
import { SelectorChoice } from '../../../ui/devices/selector-choice.js';
import { EquivalentLines } from '../../../ui/equivalent-lines.js';
import { SelectField, TextField } from '../../../ui/field.js';
import { Failure } from '../../../ui/messages.js';
import { JUDGED, SideBySide } from '../../../ui/sides/side-by-side.js';
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
  const { name } = template;
  const these = devices.map(({ deviceId }) => `id:${deviceId}`).join(' | ');
  const choices = choicesOf(devices.length, these);
  const [selector, setSelector] = useState(choices[0]![0]);
  const [hours, setHours] = useState('168');
  const [reason, setReason] = useState('');
  const { path, key, option } = difference;
  const body = {
    path,
    key,
    option: option!,
    selector: selector.trim(),
    until: inHours(Number(hours)),
    reason: reason.trim(),
  };
  const params = { path: { templateName: name } };
  const ignore = useAction({
    run: () => {
      const until = inHours(Number(hours)); // the dialog may have been open for long
      return api.post('/v1/templates/{templateName}/ignored', { params, body: { ...body, until } });
    },
    done: 'Ignored; the states follow in a moment',
    refreshes: ['templates'],
    after: onClose,
    quiet: true,
  });
  return (
    <FormDialog
      title={`Ignore on ${selector === these ? countText(devices.length, 'device') : 'devices of the template'}`}
      send="Ignore"
      busy={ignore.isPending}
      disabled={body.reason === '' || body.selector === ''}
      missing={[body.selector === '' && 'devices', body.reason === '' && 'a reason']}
      onSend={() => ignore.mutate()}
      onClose={onClose}
    >
      <SideBySide heads={JUDGED} lines={[sideOf(difference)]} />
      <p className="quiet">
        No job or rollout of {name} sets it on these devices. {AFTER[hours]} it counts as a difference again.
      </p>
      <SelectorChoice
        permission="template.publish"
        choices={choices}
        value={selector}
        wrong={selectorError(ignore.error)}
        onValue={setSelector}
      />
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
        command={commandOf(name, body, hours)}
        method="POST"
        path={`/v1/templates/${name}/ignored`}
        body={body}
      />
    </FormDialog>
  );
}

/** Of other devices only those of the template count. */
const choicesOf = (count: number, these: string): readonly (readonly [selector: string, text: string])[] => [
  ...(count > NAMED_MAX
    ? []
    : [[these, `${countText(count, 'device')} that differ${count === 1 ? 's' : ''} now`] as const]),
  ['all', 'All devices of the template'],
];

type Body = Schema<'IgnoreOption'>;

const commandOf = (template: string, { path, key = {}, option, selector, reason }: Body, hours: string): string =>
  [
    `template ignore ${template} --path ${path} --option ${shellWord(option)} -l ${shellWord(selector || 'SELECTOR')}`,
    `--until ${hours}h --reason ${shellWord(reason || 'REASON')}`,
    ...Object.entries(key).map(([name, value]) => `--set ${shellWord(`key.${name}=${value}`)}`),
  ].join(' ');
