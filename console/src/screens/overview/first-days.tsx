import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useMay } from '../../api/may.js';
import { operatorsQuery, selfQuery } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/page.js';
import { type SearchText, To } from '../../ui/to.js';
import css from './first-days.module.css';
import { backupCountsQuery, backupPoliciesQuery } from './overview-queries.js';

/* What a new gateway needs before it can be relied on. The card is there until all of it is done, or a person hides it. */

interface Step {
  readonly title: string;
  readonly about: string;
  /** Null: not known yet. */
  readonly isDone: boolean | null;
  readonly to: string;
  readonly search: SearchText;
}

const HIDDEN = 'fleetgate.first-days';
const KEY_COPIED = 'fleetgate.root-key-copied';

const isKept = (name: string): boolean => localStorage.getItem(name) === 'yes';

export function FirstDays(): ReactNode {
  const [isHidden, setHidden] = useState(() => isKept(HIDDEN));
  const mayManage = useMay('operator.manage');
  const hide = useCallback(() => {
    localStorage.setItem(HIDDEN, 'yes');
    setHidden(true);
  }, []);
  if (isHidden || !mayManage) return null;
  return <Steps onHide={hide} />;
}

function Steps({ onHide }: { onHide: () => void }): ReactNode {
  const steps = useSteps();
  const areKnown = steps.every(({ isDone }) => isDone !== null);
  const [isCopied, setCopied] = useState(() => isKept(KEY_COPIED));
  const [isOpen, setOpen] = useState(false);
  const left = steps.filter(({ isDone }) => isDone === false).length + (isCopied ? 0 : 1);
  const all = steps.length + 1;
  const isOver = areKnown && left === 0;
  useEffect(() => {
    if (isOver) onHide(); // once all is done, it has no place any more
  }, [isOver, onHide]);
  if (isOver) return null;
  const copied = () => {
    localStorage.setItem(KEY_COPIED, 'yes');
    setCopied(true);
  };
  return (
    <Card>
      <div className={css.head}>
        <h2>
          <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>{' '}
            {areKnown ? `Setup ${all - left} of ${all}` : 'Setup …'}
          </button>
        </h2>
        <Button kind="quiet" onClick={onHide}>
          Hide
        </Button>
      </div>
      <ul className={css.steps} hidden={!isOpen}>
        {steps.map(({ title, about, isDone, to, search }) => (
          <Line key={title} title={title} about={about} isDone={isDone === true}>
            <To to={to} search={search} className="button">
              Open
            </To>
          </Line>
        ))}
        <Line
          title="Keep a copy of the root key elsewhere"
          about="Without it no backup of this gateway can be read. It is the file or setting that the gateway starts with."
          isDone={isCopied}
        >
          <Button onClick={copied}>It is kept</Button>
        </Line>
      </ul>
    </Card>
  );
}

interface LineProps extends Pick<Step, 'title' | 'about'> {
  isDone: boolean;
  children: ReactNode;
}

function Line({ title, about, isDone, children }: LineProps): ReactNode {
  return (
    <li data-done={isDone}>
      <span aria-hidden="true">{isDone ? '✓' : '○'}</span>
      <span>
        <strong>{title}</strong>
        <span className="visually-hidden">{isDone ? ' (done)' : ' (to do)'}</span>
        {!isDone && <span className="small quiet">{about}</span>}
      </span>
      {!isDone && children}
    </li>
  );
}

function useSteps(): readonly Step[] {
  const { data: self } = useQuery(selfQuery);
  const coverage = useQuery(backupCountsQuery);
  const policies = useQuery(backupPoliciesQuery);
  const people = useQuery(operatorsQuery);
  const counts = coverage.data?.counts;
  return [
    { title: 'Add devices', about: '', isDone: true, to: '/devices', search: {} },
    {
      title: 'Make the first backup',
      about: 'Then a device that breaks can be restored on another one.',
      isDone: counts ? (counts['fresh'] ?? 0) + (counts['overdue'] ?? 0) > 0 : null,
      to: '/backups',
      search: {},
    },
    {
      title: 'Back up each night',
      about: 'A policy backs up all devices at a time of day, and keeps as many as it says.',
      isDone: policies.data ? policies.data.items.length > 0 : null,
      to: '/backups',
      search: { tab: 'policies' },
    },
    {
      title: 'Invite a colleague',
      about: 'A second administrator can help when you are locked out, and can approve.',
      isDone: people.data ? people.data.items.length > 1 : null,
      to: '/access',
      search: { tab: 'people' },
    },
    {
      title: 'Set up your second factor',
      about: 'Your password alone then opens nothing.',
      isDone: self ? self.hasSecondFactor : null,
      to: '/access',
      search: { tab: 'account' },
    },
  ];
}
