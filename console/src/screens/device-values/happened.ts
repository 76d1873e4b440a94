import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { jobMarksQuery, weekQuery } from '../device/device-queries.js';
import { observedText, observedValue } from '../device/observed-text.js';
import { kindTitle } from '../jobs/kinds.js';
import { stateText } from '../../ui/mark.js';
import { spansOf } from '../device/state-spans.js';

/** What happened to a device at one time. */
export interface DeviceEvent {
  /** Milliseconds. */
  readonly at: number;
  readonly kind: 'job' | 'state' | 'change';
  readonly what: string;
  /** null: there was nothing before, as of a job. */
  readonly before: string | null;
  readonly after: string;
  readonly jobId?: string;
}

/** Jobs of a device, changes of what it is, and times when it was not online. */
export function useHappened(device: Schema<'Device'>, from: number, to: number) {
  const mayReadJobs = useMay('job.read');
  const changes = useQuery(weekQuery(device.id));
  const jobs = useQuery({
    ...jobMarksQuery(device.id),
    enabled: mayReadJobs,
  });
  const { state } = device;
  const happened = useMemo(() => {
    const seen = changes.data;
    const spans = seen ? spansOf(seen.items, { state, from, to, isCut: seen.next !== null }) : [];
    const events: DeviceEvent[] = [
      ...(jobs.data?.items ?? []).map(({ id, kind, outcome, createdAt }) => ({
        at: Date.parse(createdAt),
        kind: 'job' as const,
        what: `Job: ${kindTitle(kind)}`,
        before: null,
        after: outcome ? stateText(outcome) : 'Under way',
        jobId: id,
      })),
      ...(seen?.items ?? []).map(({ at, field, before, after }) => ({
        at: Date.parse(at),
        kind: field === 'state' ? ('state' as const) : ('change' as const),
        what: observedText(field),
        before: wordOf(field, before),
        after: wordOf(field, after),
      })),
    ];
    const within = events.filter(({ at }) => at >= from && at <= to).toSorted((one, other) => other.at - one.at);
    return {
      spans: spans.filter((span) => span.state !== 'online'),
      events: within,
      marks: within
        .filter(({ kind }) => kind !== 'state')
        .map(({ at, kind }) => ({ at, tone: kind === 'job' ? ('accent' as const) : ('warn' as const) })),
    };
  }, [changes.data, jobs.data, state, from, to]);
  return { ...happened, mayReadJobs, error: changes.error ?? jobs.error };
}

const wordOf = (field: string, value: string | null): string => (value === null ? 'none' : observedValue(field, value));
