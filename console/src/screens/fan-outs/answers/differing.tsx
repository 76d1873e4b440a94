import { type ReactNode } from 'react';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';
import { To, useSearchText } from '../../../ui/to.js';
import { alikeText } from './alike-text.js';
import { type AnsweredDevice, groupsBy } from './answer-fields.js';
import styles from './answers.module.css';
import { alikeOf, differingFields, rangeOf, VALUES_EACH } from './field-order.js';
import { shownValue } from './field-titles.js';
import { type Shown } from './shown.js';

/** Fields that are told. */
const FIELDS = 4;

/** The answer in one line: in what the devices differ, with the values and how many devices have each. A click groups by the field. */
export function Differing({ devices, choices, asked, titleOf }: Shown): ReactNode {
  const found = alikeOf(devices, choices, asked);
  const fields = differingFields(found, choices, asked);
  if (fields.length === 0)
    return (
      <p className="quiet">
        {agreeText(
          devices.length,
          choices.some(({ different }) => different > 1),
        )}
      </p>
    );
  const { length: others } = found.others;
  return (
    <p className={styles['differing']}>
      <span>
        <strong>{alikeText(found, titleOf)}</strong>
        {others > 0 ? `, ${numberText(others)} ${pluralText(others, 'differs', 'differ')} in:` : '. They differ in:'}
      </span>
      {fields.slice(0, FIELDS).map((field) => (
        <span key={field} className="foreign">
          <FieldLink field={field} title={titleOf(field)} /> {valuesText(devices, field)}
        </span>
      ))}
      {fields.length > FIELDS && (
        <span className="quiet">and {countText(fields.length - FIELDS, 'more field', 'more fields')}</span>
      )}
    </p>
  );
}

/** What is left to differ is what names the device itself. */
function agreeText(answers: number, isOwn: boolean): string {
  if (answers === 1) return 'One device has answered.';
  return `${countText(answers, 'answer')} agree${isOwn ? ', but for what names each device, such as its serial number' : ''}.`;
}

function FieldLink({ field, title }: { field: string; title: string }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="." search={{ ...search, view: 'table', by: search['by'] === field ? undefined : field }} title={field}>
      {title}
    </To>
  );
}

/** `−108 dBm to −80 dBm, mean −88.4 dBm`; `Orange on 8, Play on 7`; `7 values`. */
function valuesText(devices: readonly AnsweredDevice[], field: string): string {
  const range = rangeOf(devices, field);
  if (range) {
    const [least, mean, most] = [range.least, rounded(range), range.most].map((one) => shownValue(field, String(one)));
    return `${least} to ${most}, mean ${mean}`;
  }
  const groups = groupsBy(devices, field);
  if (groups.length > VALUES_EACH) return countText(groups.length, 'value');
  return groups
    .map(({ value, devices: members }) => `${shownValue(field, value)} on ${numberText(members.length)}`)
    .join(', ');
}

/** A mean has one digit more than the values show. */
const rounded = ({ least, mean, most }: { least: number; mean: number; most: number }): number =>
  most - least >= 10 ? Math.round(mean) : Math.round(mean * 100) / 100;
