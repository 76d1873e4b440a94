import { type ReactNode } from 'react';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import { Filters, SelectFilter } from '../../ui/filters.js';
import { Empty } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { useAddForm, useSearchText } from '../../ui/to.js';
import { KINDS, OUTCOMES, PHASES } from './kinds.js';
import { DeviceFilter } from './device-filter.js';
import { FoldedJobTable, JobTable } from './job-table.js';
import { RecentFailures } from './recent-failures.js';
import { StartJob } from './start-job.js';

/** All jobs, newest first. */
export function Jobs(): ReactNode {
  const [{ kind, phase, outcome, device }, change] = useSearchText();
  const list = useList('/v1/jobs', { key: KEYS.jobs.all, query: { kind, phase, outcome, device }, withDevices: true });
  const isNarrowed = Boolean(kind ?? phase ?? outcome ?? device);
  const clear = () =>
    change({ kind: undefined, phase: undefined, outcome: undefined, device: undefined, pages: undefined });
  const mayStart = useMay('job.start');
  const [isStart, setStart] = useAddForm(mayStart);
  const start = mayStart && (
    <Button kind="primary" icon="plus" onClick={() => setStart(true)}>
      Start a job
    </Button>
  );
  return (
    <Page title="Jobs" actions={start}>
      <Filters isNarrowed={isNarrowed}>
        <SelectFilter label="Kind" param="kind" options={KINDS} />
        <SelectField
          label="State"
          value={outcome ?? phase ?? ''}
          options={[['', 'Any'], ...PHASES, ...OUTCOMES]}
          onChange={({ target: { value } }) => change({ ...stateSearch(value), pages: undefined })}
        />
        <DeviceFilter />
        {isNarrowed && <Button onClick={clear}>Clear filters</Button>}
      </Filters>
      {!isNarrowed && <RecentFailures />}
      {isNarrowed ? (
        <JobTable list={list} empty={<NoJobs isNarrowed />} />
      ) : (
        <FoldedJobTable list={list} empty={<NoJobs isNarrowed={false} />} />
      )}
      {isStart && <StartJob onClose={() => setStart(false)} />}
    </Page>
  );
}

/** A job that has ended has an outcome, an open one a phase. */
const stateSearch = (state: string) => {
  const isPhase = PHASES.some(([phase]) => phase === state);
  return { phase: isPhase ? state : undefined, outcome: isPhase ? undefined : state || undefined };
};

function NoJobs({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No job matches these filters">Choose others, or clear them.</Empty>;
  return (
    <Empty title="No jobs yet" command="fleetgate job start pump-1 backup --watch">
      A job is one long operation on one device: a backup, a restart, another firmware. Start one on the page of a
      device.
    </Empty>
  );
}
