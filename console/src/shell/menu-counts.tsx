import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { countUpToText } from '../api/amount-text.js';
import { api } from '../api/client.js';
import { readRunningJobs, readRunningRollouts, RUNNING_SHOWN, selfQuery } from '../api/queries.js';
import { KEYS } from '../api/keys/query-keys.js';

/* How much waits or runs behind an entry of the menu. Each is a few rows that events keep up to date. */

/** More are `9+`: so the requests stay small, and the number has its place in any case. */
const SHOWN_MAX = RUNNING_SHOWN;

const query = { limit: SHOWN_MAX + 1 };

interface Count {
  readonly permission: string;
  /** Begins with the noun whose events change it. */
  readonly queryKey: readonly string[];
  /** What is counted, such as `alert`, and what they are. */
  readonly noun: string;
  readonly are: string;
  /** It waits for a person. */
  readonly isUrgent: boolean;
  readonly read: (signal: AbortSignal) => Promise<{ items: readonly unknown[] }>;
}

/** By the address of the entry. */
const COUNTS: Readonly<Record<string, Count>> = {
  '/monitoring': {
    permission: 'monitoring.read',
    queryKey: KEYS.alerts.menu,
    noun: 'alert',
    are: 'open',
    isUrgent: true,
    read: (signal) => api.get('/v1/monitoring/alerts', { params: { query }, signal }),
  },
  '/rollouts': {
    permission: 'rollout.read',
    queryKey: KEYS.rollouts.menu,
    noun: 'rollout',
    are: 'running',
    isUrgent: false,
    read: readRunningRollouts,
  },
  '/jobs': {
    permission: 'job.read',
    queryKey: KEYS.jobs.menu,
    noun: 'job',
    are: 'running',
    isUrgent: false,
    read: readRunningJobs,
  },
  '/access': {
    permission: 'approval.read',
    queryKey: KEYS.approvals.menu,
    noun: 'approval',
    are: 'waiting',
    isUrgent: true,
    read: (signal) => api.get('/v1/approvals', { params: { query: { ...query, state: 'pending' } }, signal }),
  },
};

/** The screen itself is read first. */
const AFTER_MS = 1_500;

/** The count of an entry; nothing where there is none, or where the person may not see it. */
export function MenuCount({ to }: { to: string }): ReactNode {
  const count = COUNTS[to];
  return count ? <Shown {...count} /> : null;
}

function Shown({ permission, queryKey, noun, are, isUrgent, read }: Count): ReactNode {
  const { data: self } = useQuery(selfQuery);
  const [isTime, setTime] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setTime(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal), // what it cannot read, the screen says
    enabled: isTime && (self?.permissions.includes(permission) ?? false),
  });
  const shown = data?.items.length ?? 0;
  if (shown === 0) return null;
  const isMore = shown > SHOWN_MAX;
  const words = `${countUpToText(shown, SHOWN_MAX, noun)} ${are}`;
  return (
    <span className="menu-count" data-urgent={isUrgent} title={words}>
      <span aria-hidden="true">{isMore ? `${SHOWN_MAX}+` : shown}</span>
      <span className="visually-hidden">, {words}</span>
    </span>
  );
}
