import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useMay } from '../../api/may.js';
import { useSettled } from '../../ui/settled.js';
import { OWN_ZONE } from '../../ui/words/typed-time.js';
import { runTimes } from './rhythm.js';

const SHOWN = 3;

interface NextRunsProps {
  /** Five fields of cron. */
  cron: string;
  timeZone: string;
}

/** When a time that is being chosen would run. What is wrong with it is said when it is saved. */
export function NextRuns({ cron, timeZone }: NextRunsProps): ReactNode {
  const asked = useSettled(`${cron.trim()}\n${timeZone.trim()}`);
  const [line = '', zone = ''] = asked.split('\n');
  const { data, error } = useQuery({
    queryKey: KEYS.schedules.nextRuns(line, zone),
    queryFn: ({ signal }) => {
      const query = { cron: line, timeZone: zone, runs: SHOWN };
      return api.get('/v1/schedules/next-runs', { params: { query }, signal });
    },
    enabled: useMay('rollout.read') && line !== '' && zone !== '',
    placeholderData: keepPreviousData,
  });
  if (error || !data) return null;
  return (
    <p className="small quiet" role="status">
      Next: {data.nextRuns.map((at) => textOf(at, zone)).join(' · ')}
    </p>
  );
}

function textOf(at: string, zone: string): string {
  const { own, reader } = runTimes(at, zone, OWN_ZONE);
  return reader === null ? own : `${own} (${reader})`;
}
