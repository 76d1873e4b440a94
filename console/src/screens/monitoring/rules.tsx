import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type Column } from '../../ui/list-table.js';
import { stateText } from '../../ui/mark.js';
import { To } from '../../ui/to.js';
import { AuthoredRows, selectorColumn, stateColumn } from './authored-rows.js';
import { RemoveRule } from './remove-rule.js';
import { RuleForm } from './rule/rule-form.js';
import { SeverityMark } from './severity.js';
import { ToldLine } from './rule/told.js';
import { rulesQuery } from './shown/rules-query.js';
import { selectorWords } from './shown/selector-words.js';
import { timeText } from './words.js';

type Rule = Schema<'AlertRule'>;

const EMPTY = {
  title: 'No rule watches the devices',
  command: 'fleetgate rule add offline -l state:offline --for-seconds 900',
  text: 'A rule is a selector and a time: a device that matches for so long has an open alert.',
};

/** Which devices need attention, and after what time. */
export function Rules(): ReactNode {
  const query = useQuery({ ...rulesQuery, select: inOrder });
  return (
    <AuthoredRows
      label="Rules of alerts"
      about="A rule opens an alert for each device that matches its selector for the given time."
      add="New rule"
      query={query}
      empty={EMPTY}
      head={<ToldLine />}
      columns={COLUMNS}
      form={(rule, close) => <RuleForm rule={rule} onClose={close} />}
      removal={(rule, close) => <RemoveRule rule={rule} onClose={close} />}
    />
  );
}

const SEVERITY = { critical: 0, warning: 1, info: 2 } as const;

/** What judges devices first, the most severe of it before the others. */
const inOrder = ({ items, ...rest }: Schema<'AlertRuleList'>) => ({
  ...rest,
  items: items.toSorted((a, b) => Number(b.enabled) - Number(a.enabled) || SEVERITY[a.severity] - SEVERITY[b.severity]),
});

/** Whether the name has the words of the selector, as `Offline for 15 minutes` has `Offline`. */
function saysSelector({ name, selector }: Rule): boolean {
  const words = selector === null ? null : selectorWords(selector, stateText);
  return words !== null && name.toLowerCase().includes(words.toLowerCase());
}

const MATCHING = selectorColumn('Devices that match');

const COLUMNS: readonly Column<Rule>[] = [
  {
    title: 'Rule',
    cell: ({ name, note }) => (
      <span className="foreign" title={note || undefined}>
        {name}
      </span>
    ),
  },
  {
    title: 'Severity',
    narrow: 'line',
    cell: ({ severity, enabled }) => <SeverityMark severity={severity} isOff={!enabled} />,
  },
  {
    ...MATCHING,
    brief: (rule) => !saysSelector(rule) && MATCHING.cell(rule),
    cell: (rule) =>
      saysSelector(rule) ? (
        <To to="/devices" search={{ selector: rule.selector! }} title={rule.selector!}>
          Show them
        </To>
      ) : (
        MATCHING.cell(rule)
      ),
  },
  {
    title: 'Opens after',
    cell: ({ forSeconds }) => timeText(forSeconds),
    brief: ({ forSeconds }) => (forSeconds === 0 ? 'opens at once' : `opens after ${timeText(forSeconds)}`),
  },
  {
    title: 'Open now',
    brief: ({ open, judgedAt }) => judgedAt !== null && `${open.toLocaleString('en')} open`,
    isNumber: true,
    cell: ({ id, open, judgedAt, enabled }) =>
      judgedAt === null ? (
        <span className="quiet">{enabled ? 'not evaluated yet' : '–'}</span>
      ) : (
        <To to="/monitoring" search={{ rule: id }}>
          {open.toLocaleString('en')}
        </To>
      ),
  },
  stateColumn('Judges no devices now'),
];
