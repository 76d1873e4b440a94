import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { jobMarksQuery, weekQuery } from '../device/device-queries.js';
import { stateText } from '../../ui/mark.js';
import { spansOf } from '../device/state-spans.js';
import { eventsOf } from './events.js';

const NOTHING: readonly never[] = [];

/** What happened to a device, the newest first: its last jobs, and what was observed. */
export function useEvents(deviceId: string) {
  const mayReadJobs = useMay('job.read');
  const changes = useQuery(weekQuery(deviceId));
  const jobs = useQuery({ ...jobMarksQuery(deviceId), enabled: mayReadJobs });
  const events = useMemo(
    () => eventsOf(changes.data?.items ?? NOTHING, jobs.data?.items ?? NOTHING, stateText),
    [changes.data, jobs.data],
  );
  return { events, changes: changes.data, mayReadJobs, error: changes.error ?? jobs.error };
}

/** Jobs of a device, changes of what it is, and times when it was not online: those of a time. */
export function useHappened(device: Schema<'Device'>, from: number, to: number) {
  const { events, changes, mayReadJobs, error } = useEvents(device.id);
  const { state } = device;
  const happened = useMemo(() => {
    const spans = changes ? spansOf(changes.items, { state, from, to, isCut: changes.next !== null }) : [];
    const within = events.filter(({ at }) => at >= from && at <= to);
    return {
      spans: spans.filter((span) => span.state !== 'online'),
      events: within,
      marks: within
        .filter(({ kind }) => kind !== 'state')
        .map(({ at, kind }) => ({ at, tone: kind === 'job' ? ('accent' as const) : ('warn' as const) })),
    };
  }, [changes, events, state, from, to]);
  return { ...happened, mayReadJobs, error };
}
