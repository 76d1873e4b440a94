import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
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
  /** Why, in one sentence. */
  readonly about: string;
  /** Null: not known yet. */
  readonly isDone: boolean | null;
  /** Opens its form; null: it cannot be done yet. */
  readonly link: { readonly text: string; readonly to: string; readonly search: SearchText } | null;
}

const HIDDEN = 'fleetgate.first-days';
const KEY_COPIED = 'fleetgate.root-key-copied';

const isKept = (name: string): boolean => localStorage.getItem(name) === 'yes';

interface FirstDaysProps {
  /** How many the fleet has: without any, the list cannot be hidden. */
  devices: number;
  /** Whether its steps are in sight at first. */
  isOpen?: boolean;
}

export function FirstDays({ devices, isOpen = false }: FirstDaysProps): ReactNode {
  const [isHidden, setHidden] = useState(() => isKept(HIDDEN));
  const mayManage = useMay('operator.manage');
  const hide = useCallback(() => {
    localStorage.setItem(HIDDEN, 'yes');
    setHidden(true);
  }, []);
  if ((isHidden && devices > 0) || !mayManage) return null;
  return <Steps devices={devices} isOpenFirst={isOpen} onHide={devices > 0 ? hide : null} />;
}

interface StepsProps {
  devices: number;
  isOpenFirst: boolean;
  onHide: (() => void) | null;
}

function Steps({ devices, isOpenFirst, onHide }: StepsProps): ReactNode {
  const steps = useSteps(devices);
  const areKnown = steps.every(({ isDone }) => isDone !== null);
  const [isCopied, setCopied] = useState(() => isKept(KEY_COPIED));
  const [isOpen, setOpen] = useState(isOpenFirst);
  const left = steps.filter(({ isDone }) => isDone === false).length + (isCopied ? 0 : 1);
  const all = steps.length + 1;
  const isOver = areKnown && left === 0;
  useEffect(() => {
    if (isOver) onHide?.(); // once all is done, it has no place any more
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
        {onHide && (
          <Button kind="quiet" onClick={onHide}>
            Hide
          </Button>
        )}
      </div>
      {isOpen && areKnown && (
        <StepList
          lines={[
            ...steps.map(({ link, isDone, ...step }) => ({
              ...step,
              isDone: isDone === true,
              action: <Open {...link} />,
            })),
            {
              title: 'Keep a copy of the root key elsewhere',
              about:
                'Without it no backup of this gateway can be read. It is the file or setting that the gateway starts with.',
              isDone: isCopied,
              action: <Button onClick={copied}>It is kept</Button>,
            },
          ]}
        />
      )}
    </Card>
  );
}

function Open({ text, to, search }: Partial<NonNullable<Step['link']>>): ReactNode {
  if (to === undefined) return <span className="small quiet">Needs a device</span>;
  return (
    <To to={to} search={search ?? {}} className="button">
      {text}
    </To>
  );
}

interface StepLine extends Pick<Step, 'title' | 'about'> {
  readonly isDone: boolean;
  readonly action: ReactNode;
}

/** What is to do, and below it, folded, what is done. */
function StepList({ lines }: { lines: readonly StepLine[] }): ReactNode {
  const done = lines.filter(({ isDone }) => isDone);
  return (
    <>
      <ol className={css.steps}>
        {lines
          .filter(({ isDone }) => !isDone)
          .map(({ title, about, action }) => (
            <li key={title}>
              <span aria-hidden="true">○</span>
              <span>
                <strong>{title}</strong>
                <span className="visually-hidden"> (to do)</span>
                <span className="small quiet">{about}</span>
              </span>
              {action}
            </li>
          ))}
      </ol>
      {done.length > 0 && (
        <details className={css.done}>
          <summary className="small quiet">{numberText(done.length)} done</summary>
          <ul className={css.steps}>
            {done.map(({ title }) => (
              <li key={title} data-done="true">
                <span aria-hidden="true">✓</span>
                <span>
                  {title}
                  <span className="visually-hidden"> (done)</span>
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function useSteps(devices: number): readonly Step[] {
  const { data: self } = useQuery(selfQuery);
  const coverage = useQuery(backupCountsQuery);
  const policies = useQuery(backupPoliciesQuery);
  const people = useQuery(operatorsQuery);
  const counts = coverage.data?.counts;
  return [
    {
      title: 'Add devices',
      about: 'The gateway then checks them, and all else begins with them.',
      isDone: devices > 0,
      link: { text: 'Add one', to: '/devices', search: { add: 'one' } },
    },
    {
      title: 'Make the first backup',
      about: 'Then a device that breaks can be restored on another one.',
      isDone: counts ? (counts['fresh'] ?? 0) + (counts['overdue'] ?? 0) > 0 : null,
      link: devices > 0 ? { text: 'Back up', to: '/backups', search: {} } : null,
    },
    {
      title: 'Back up each night',
      about: 'A policy backs up all devices at a time of day, and keeps as many as it says.',
      isDone: policies.data ? policies.data.items.length > 0 : null,
      link: { text: 'New policy', to: '/backups', search: { tab: 'policies', add: 'yes' } },
    },
    {
      title: 'Invite a colleague',
      about: 'A second administrator can help when you are locked out, and can approve.',
      isDone: people.data ? people.data.items.length > 1 : null,
      link: { text: 'Invite', to: '/access', search: { tab: 'people', add: 'yes' } },
    },
    {
      title: 'Set up your second factor',
      about: 'Your password alone then opens nothing.',
      isDone: self ? self.hasSecondFactor : null,
      link: { text: 'Set up', to: '/access', search: { tab: 'account' } },
    },
  ];
}
