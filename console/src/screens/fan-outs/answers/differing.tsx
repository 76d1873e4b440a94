import { Fragment, type ReactNode } from 'react';
import { countText, numberText, pluralText } from '../../../api/amount-text.js';
import { Card } from '../../../ui/page.js';
import { To, useSearchText } from '../../../ui/to.js';
import { type AnsweredDevice, alikeOf, type FieldChoice, groupsBy } from './answer-fields.js';
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
  const { alike, fields } = alikeOf(devices, choices);
  const rest = devices.length - alike;
  if (fields.length === 0)
    return (
      <p className="quiet">
        {devices.length === 1
          ? 'One device has answered.'
          : `${countText(devices.length, 'answer')} agree, but for what each device has for itself, such as its serial number.`}
      </p>
    );
  return (
    <Card>
      <div className="stack">
        <p>
          <strong>{numberText(alike)} alike</strong>, {numberText(rest)} {pluralText(rest, 'differs', 'differ')} in:
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
