import { Fragment, type ReactNode } from 'react';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';
import { Card } from '../../../ui/page.js';
import { To, useSearchText } from '../../../ui/to.js';
import { type AnsweredDevice, alikeOf, type FieldChoice, groupsBy } from './answer-fields.js';
import { alikeText } from './alike-text.js';
import styles from './answers.module.css';
import { fieldTitle } from './field-titles.js';

/** Fields and values that are shown. */
const FIELDS = 4;
const VALUES = 5;

interface DifferingProps {
  devices: readonly AnsweredDevice[];
  choices: readonly FieldChoice[];
}

/** The answer in short: in what the devices differ, with the values and how many devices have each. A click groups by the field. */
export function Differing({ devices, choices }: DifferingProps): ReactNode {
  const found = alikeOf(devices, choices);
  const { fields } = found;
  if (fields.length === 0) return <p className="quiet">{agreeText(devices.length, choices)}</p>;
  return (
    <Card>
      <div className="stack">
        <p>
          <strong>{alikeText(found)}</strong>
          {found.others.length > 0
            ? `, ${numberText(found.others.length)} ${pluralText(found.others.length, 'differs', 'differ')} in:`
            : '. They differ in:'}
          {fields.length > FIELDS && (
            <span className="quiet">
              {' '}
              (the first {numberText(FIELDS)} of {numberText(fields.length)} fields)
            </span>
          )}
        </p>
        <dl className={styles['differing']}>
          {fields.slice(0, FIELDS).map((field) => (
            <Fragment key={field}>
              <dt>
                <FieldLink field={field} />
              </dt>
              <dd>
                <Values devices={devices} field={field} />
              </dd>
            </Fragment>
          ))}
        </dl>
      </div>
    </Card>
  );
}

/** What is left to differ is what names the device itself. */
function agreeText(answers: number, choices: readonly FieldChoice[]): string {
  if (answers === 1) return 'One device has answered.';
  const isOwn = choices.some(({ different }) => different > 1);
  return `${countText(answers, 'answer')} agree${isOwn ? ', but for what names each device, such as its serial number' : ''}.`;
}

function FieldLink({ field }: { field: string }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="." search={{ ...search, view: 'table', by: search['by'] === field ? undefined : field }} title={field}>
      {fieldTitle(field)}
    </To>
  );
}

/** The largest groups, each with its share as a bar. */
function Values({ devices, field }: { devices: readonly AnsweredDevice[]; field: string }): ReactNode {
  const groups = groupsBy(devices, field);
  return (
    <ul className={styles['values']}>
      {groups.slice(0, VALUES).map(({ value, devices: members }) => (
        <li key={value}>
          <span className="foreign cut" title={value}>
            {value}
          </span>
          <strong>{numberText(members.length)}</strong>
          <span className="bar" aria-hidden="true">
            <i style={{ width: `${(100 * members.length) / devices.length}%` }} />
          </span>
        </li>
      ))}
      {groups.length > VALUES && <li className="quiet">{numberText(groups.length - VALUES)} more values</li>}
    </ul>
  );
}
