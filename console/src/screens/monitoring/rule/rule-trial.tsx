import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { api, type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { isRefused } from '../../../api/problems.js';
import { Button } from '../../../ui/button.js';
import { TimeAxis } from '../../../ui/rows/time-axis.js';
import { exactText } from '../../../ui/time.js';
import { Failure, Loading, Notice } from '../../../ui/messages.js';
import styles from './rule-trial.module.css';

type Condition = Schema<'TryAlertRule'>;

/** What the rule would have opened in the last seven days, when a person asks. @param condition null: it is not complete */
export function RuleTrial({ condition }: { condition: Condition | null }): ReactNode {
  const [asked, setAsked] = useState<string | null>(null);
  const text = JSON.stringify(condition);
  const trial = useQuery({
    queryKey: KEYS.alertRules.try(condition),
    queryFn: ({ signal }) => api.post('/v1/monitoring/rules/try', { body: condition!, signal }),
    enabled: condition !== null && asked === text,
    gcTime: 0,
    retry: false, // it reads days of samples
    refetchOnWindowFocus: false,
  });
  return (
    <div className="stack">
      <div>
        <Button disabled={condition === null} onClick={() => setAsked(text)}>
          Try it on the last seven days
        </Button>
      </div>
      {asked === text &&
        condition !== null &&
        (isRefused(trial.error, 'invalid_selector') ? <NoPast /> : <Tried trial={trial} />)}
    </div>
  );
}

/** The condition itself is valid: the devices that match now stand above it. */
const NoPast = (): ReactNode => (
  <Notice>
    This condition cannot be tried. Of the past only states and measured values are known, such as offline or the
    signal.
  </Notice>
);

function Tried({ trial: { data, error, refetch } }: { trial: TrialQuery }): ReactNode {
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Looking through the last seven days" />;
  const { opened, devices, items, steps, from, to } = data;
  return (
    <>
      <p role="status">
        <strong>
          It would have opened {opened.toLocaleString('en')} {opened === 1 ? 'alert' : 'alerts'}
          {devices > 0 && ` on ${devices.toLocaleString('en')} ${devices === 1 ? 'device' : 'devices'}`}
        </strong>
        {items.length > 0 && (
          <span className="quiet foreign">
            : {items.map((item) => `${item.deviceName} (${item.opened.toLocaleString('en')})`).join(', ')}
            {devices > items.length ? ' …' : ''}
          </span>
        )}
      </p>
      {opened > 0 && <Steps counts={steps} from={Date.parse(from)} to={Date.parse(to)} />}
    </>
  );
}

/** When they would have opened: a bar for each of equal parts of the time. */
function Steps({ counts, from, to }: { counts: readonly number[]; from: number; to: number }): ReactNode {
  const most = Math.max(...counts);
  const startOf = (step: number) => exactText(new Date(from + (step * (to - from)) / counts.length).toISOString());
  return (
    <div>
      <ol className={styles['steps']} aria-label="When they would have opened">
        {counts.map((count, step) => (
          <li key={step} title={`${countText(count, 'alert')} from ${startOf(step)} on`}>
            <i style={{ height: `${(100 * count) / most}%` }} />
          </li>
        ))}
      </ol>
      <TimeAxis from={from} to={to} />
    </div>
  );
}

interface TrialQuery {
  readonly data: Schema<'TriedAlertRule'> | undefined;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
}
