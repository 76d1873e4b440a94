import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { numberText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { RUNNING_SHOWN, runningJobsQuery, selfQuery, systemQuery } from '../../api/queries.js';
import { Failure } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { Below } from '../../ui/rows/below.js';
import { To } from '../../ui/to.js';
import { WarningList } from '../system/warnings/warning-list.js';
import { AttentionList } from './attention-list.js';
import { Availability } from './availability.js';
import { Changes } from './changes.js';
import { FleetFigures } from './fleet-figures.js';
import { FEW, FewDevices } from './few-devices.js';
import { FirstDays } from './first-days.js';
import { Health } from './health.js';
import { Running } from './running.js';
import { figuresQuery, LISTS, stateSummaryQuery } from './overview-queries.js';
import { useAttention } from './use-attention.js';
import { Welcome } from './welcome.js';
import styles from './overview.module.css';

/** What an operator looks at first: six numbers, what needs a person, what runs, what changed, and the gateway itself. */
export function Overview(): ReactNode {
  const summary = useQuery(stateSummaryQuery);
  const { data: self } = useQuery(selfQuery);
  const may = (permission: string) => self?.permissions.includes(permission) ?? false;
  const attention = useAttention();
  const rollouts = useList('/v1/rollouts', { ...LISTS.rollouts, enabled: may('rollout.read') });
  const system = useQuery({ ...systemQuery, enabled: may('system.read') });
  const figures = useQuery({ ...figuresQuery, enabled: may('device.call_read') });
  const areRolloutsKnown = !may('rollout.read') || !rollouts.isLoading;
  const isTopKnown = !attention.isLoading && areRolloutsKnown && !system.isLoading && !figures.isLoading;
  const devices = summary.data?.devices ?? null;
  if (devices === 0) return <Welcome />;
  const isSmall = devices !== null && devices <= FEW;
  return (
    <Page title="Overview">
      {summary.error ? <Failure error={summary.error} onRetry={() => void summary.refetch()} /> : null}
      <Numbers counts={summary.data ? countsOf(summary.data) : null} mayReadJobs={may('job.read')} />
      <div className={styles['columns']}>
        <div className="stack">
          <AttentionList {...attention} />
          {isSmall && <FewDevices />}
          <Below isColumn isKnown={!attention.isLoading}>
            <Availability />
            {may('device.call_read') && <FleetFigures />}
          </Below>
          <Below isColumn isKnown={isTopKnown}>
            {may('audit.read') && <Changes />}
          </Below>
        </div>
        <div className="stack">
          {may('rollout.read') && <Running />}
          <Below isColumn isKnown={areRolloutsKnown}>
            {isSmall && <FirstDays devices={devices} isOpen />}
            {may('system.read') && <Health />}
            {/* What it reads does not wait for their number. */}
            {!isSmall && <FirstDays devices={devices ?? FEW + 1} />}
            {may('system.read') && <WarningList title="Warnings of the installation" />}
          </Below>
        </div>
      </div>
    </Page>
  );
}

function countsOf(summary: Schema<'DeviceSummary'>): Map<string, number> {
  const states = summary.groups.find(({ by }) => by === 'state')?.values ?? [];
  return new Map(states.map(({ value, devices }) => [value ?? '', devices]));
}

interface NumbersProps {
  /** Devices by their state; null: not known. */
  counts: ReadonlyMap<string, number> | null;
  mayReadJobs: boolean;
}

/** Six numbers; a click opens the list behind each of them. */
function Numbers({ counts, mayReadJobs }: NumbersProps): ReactNode {
  const running = useRunningJobs(mayReadJobs);
  const all = counts && [...counts.values()].reduce((sum, one) => sum + one, 0);
  const of = (...states: string[]) => counts && states.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0);
  const numbers = [
    ['Devices', all, '/devices', {}, 'plain'],
    ['Online', of('online'), '/devices', { selector: 'state=online' }, 'good'],
    ['Offline', of('offline'), '/devices', { selector: 'state=offline' }, 'bad'],
    [
      'No access',
      of('credentials_refused', 'trust_changed'),
      '/devices',
      { selector: 'state=trust_changed | state=credentials_refused' },
      'strange',
    ],
    ['Not checked yet', of('new'), '/devices', { selector: 'state=new' }, 'plain'],
    ['Jobs running', running, '/jobs', { phase: 'running' }, 'plain'],
  ] as const;
  return (
    <ul className={styles['numbers']} aria-label="Numbers">
      {numbers.map(([title, number, to, search, tone]) => (
        <li key={title}>
          <To to={to} search={search} className="card">
            <span className="quiet">{title}</span>
            <strong data-tone={number ? tone : 'plain'}>{number?.toLocaleString('en') ?? '–'}</strong>
          </To>
        </li>
      ))}
    </ul>
  );
}

/** As the menu counts them; many are counted further. Null: not known. */
function useRunningJobs(mayRead: boolean): string | null {
  const few = useQuery({ ...runningJobsQuery, enabled: mayRead }).data?.items.length ?? null;
  const areMany = few !== null && few > RUNNING_SHOWN;
  const all = useList('/v1/jobs', { ...LISTS.runningJobs, enabled: areMany });
  if (!areMany || all.isLoading || all.error) return few === null ? null : numberText(few);
  return `${numberText(all.rows.length)}${all.hasMore ? '+' : ''}`;
}
