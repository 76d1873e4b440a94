import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { SelectFilter } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Mark, type Tone } from '../../ui/mark.js';
import { exclusionText } from '../../ui/devices/selection-preview.js';
import { useLeftOut } from '../../ui/devices/left-out.js';
import { Empty, Notice } from '../../ui/messages.js';
import { useNarrow } from '../../ui/rows/narrow.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { failureText } from '../../ui/words/failure-text.js';
import { BackUpMissing } from './back-up-missing.js';
import { ActOnDevice } from '../jobs/acting/act-on-device.js';
import { WeekFailures } from './week-failures.js';
import styles from './backups.module.css';

type Row = Schema<'BackupCoverage'>['items'][number];

const STATES: readonly (readonly [state: Row['state'], text: string, tone: Tone])[] = [
  ['none', 'No backup', 'warn'],
  ['failed', 'Newest try failed', 'bad'],
  ['overdue', 'Too old', 'warn'],
  ['fresh', 'Recent', 'good'],
];

/** So many recent ones stand behind a button. */
const FOLDED_FROM = 8;

const AGES = [
  ['6', '6 hours'],
  ['24', 'a day'],
  ['72', '3 days'],
  ['168', 'a week'],
  ['720', '30 days'],
] as const;

/** Which devices have a backup, and how old it is. */
export function Coverage(): ReactNode {
  const [{ state, maxAgeHours, selector }] = useSearchText();
  const query = { state, maxAgeHours, selector };
  const list = useList('/v1/backups/coverage', { key: KEYS.backups.coverage, query });
  const isNarrowed = Boolean(state ?? maxAgeHours ?? selector);
  const [device, setDevice] = useState<Row | null>(null);
  const [isAll, setAll] = useState(false);
  // Those that need something come first; the others are one click away.
  const wanting = list.rows.filter((row) => row.state !== 'fresh');
  const isFolded = !isNarrowed && !isAll && wanting.length > 0 && list.rows.length - wanting.length >= FOLDED_FROM;
  return (
    <div className="stack">
      <Counts />
      <ListTable
        label="Backups by device"
        list={isFolded ? { ...list, rows: wanting, hasMore: false } : list}
        columns={useColumns(list.rows, setDevice)}
        rowKey={({ deviceId }) => deviceId}
        empty={<NoRows isNarrowed={isNarrowed} />}
      />
      {isFolded && (
        <div>
          <Button onClick={() => setAll(true)}>Show those with a recent backup, too</Button>
        </div>
      )}
      {device && (
        <ActOnDevice kind="backup" deviceId={device.deviceId} name={device.name} onClose={() => setDevice(null)} />
      )}
    </div>
  );
}

/** The counts of all devices; each narrows the list. */
function Counts(): ReactNode {
  const [{ maxAgeHours, selector, state: shown }, change] = useSearchText();
  const isNarrowed = Boolean(shown ?? maxAgeHours ?? selector);
  const clear = () => change({ state: undefined, maxAgeHours: undefined, selector: undefined, pages: undefined });
  const query = {
    limit: 1,
    ...(selector === undefined ? {} : { selector }),
    ...(maxAgeHours === undefined ? {} : { maxAgeHours: Number(maxAgeHours) }),
  };
  const { data } = useQuery({
    queryKey: KEYS.backups.counts(query),
    queryFn: ({ signal }) => api.get('/v1/backups/coverage', { params: { query }, signal }),
    placeholderData: (previous) => previous,
  });
  const all = data ? Object.values(data.counts).reduce((sum, one) => sum + one, 0) : 0;
  return (
    <>
      <div className={styles['coverage']} role="img" aria-label={shareText(data?.counts.fresh ?? 0, all)}>
        {STATES.filter(([state]) => data?.counts[state]).map(([state, , tone]) => (
          <i key={state} data-tone={tone} style={{ flexGrow: data?.counts[state] ?? 0 }} />
        ))}
      </div>
      <div className={styles['coverageCounts']} role="group" aria-label="Devices by the state of their backup">
        {STATES.map(([state, text, tone]) => {
          const count = data?.counts[state] ?? 0;
          return (
            <button
              key={state}
              type="button"
              aria-pressed={shown === state}
              onClick={() => change({ state: shown === state ? undefined : state, pages: undefined })}
            >
              <strong>{data ? count.toLocaleString('en') : '–'}</strong>
              <Mark tone={count === 0 && tone !== 'good' ? 'plain' : tone}>{text}</Mark>
            </button>
          );
        })}
      </div>
      <BackUpMissing devices={data?.counts.none ?? 0} within={selector} />
      <div className="row">
        <WeekFailures stillFailed={data?.counts.failed ?? 0} />
        <div className="inline-fields" role="search">
          <SelectFilter label="Too old after" param="maxAgeHours" options={AGES} none="26 hours" />
          {isNarrowed && <Button onClick={clear}>Clear filters</Button>}
        </div>
      </div>
    </>
  );
}

const shareText = (fresh: number, all: number): string =>
  all === 0 ? 'No device is counted yet' : `${numberText(fresh)} of ${countText(all, 'device')} with a recent backup`;

function useColumns(rows: readonly Row[], backUp: (row: Row) => void): readonly Column<Row>[] {
  const mayStart = useMay('job.start');
  const unsaved = rows.filter(({ state }) => state !== 'fresh').map(({ deviceId }) => deviceId);
  const leftOut = useLeftOut(mayStart ? unsaved : []);
  const isNarrow = useNarrow();
  const leftOutText = (id: string) => {
    const reason = leftOut?.get(id);
    if (reason === undefined) return null;
    return reason === 'locked' ? 'when its lock has ended' : `left out: ${exclusionText(reason, 1)}`;
  };
  return [
    {
      title: 'Device',
      cell: ({ deviceId, name }) => (
        <To to={`/devices/${deviceId}`} search={{ tab: 'backups' }} className="foreign cut" title={name}>
          {name}
        </To>
      ),
    },
    { title: 'State', narrow: 'beside', cell: ({ state }) => <CoverageMark state={state} /> },
    {
      title: 'Newest backup',
      brief: ({ at }) =>
        at && (
          <>
            backed up <Ago at={at} />
          </>
        ),
      cell: ({ at, artifactId, deviceId }) =>
        artifactId ? (
          <To to="/backups" search={{ tab: 'files', device: deviceId }}>
            <Ago at={at} />
          </To>
        ) : (
          <Ago at={at} />
        ),
    },
    {
      title: 'Can be opened',
      cell: ({ at, opens }) => (at ? <Opens opens={opens} /> : <span className="quiet">–</span>),
      brief: ({ at, opens }) =>
        at && opens !== true && (opens === null ? 'not tried to open' : <Mark tone="warn">cannot be opened</Mark>),
    },
    {
      title: 'Last failure',
      brief: ({ deviceId, lastFailure }) => leftOutText(deviceId) ?? (lastFailure && failureText(lastFailure)),
      cell: ({ lastFailure }) => (
        <span className="foreign cut quiet" title={lastFailure ?? undefined}>
          {lastFailure ? failureText(lastFailure) : '–'}
        </span>
      ),
    },
    {
      title: '',
      cell: (row) => {
        const text = leftOutText(row.deviceId);
        // As the button for all of them does. On a narrow screen the line of the row says it.
        if (text !== null) return isNarrow ? null : <span className="row end small quiet">{text}</span>;
        return (
          <RowActions
            of={row.name}
            actions={[
              mayStart && {
                text: 'Back up now',
                ...(row.state === 'fresh' ? {} : { label: `Back up now: ${row.name}` }),
                onSelect: () => backUp(row),
              },
            ]}
          />
        );
      },
    },
  ];
}

function CoverageMark({ state }: { state: Row['state'] }): ReactNode {
  const [, text, tone] = STATES.find(([known]) => known === state) ?? [state, state, 'plain' as const];
  return <Mark tone={tone}>{text}</Mark>;
}

/** Whether the gateway could open the newest backup and read it. */
function Opens({ opens }: { opens: boolean | null }): ReactNode {
  if (opens === null) return <span className="quiet">not tried</span>;
  return opens ? (
    <span className="quiet" title="After it was stored, its archive was opened and read">
      yes
    </span>
  ) : (
    <Mark tone="warn">no</Mark>
  );
}

function NoRows({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed)
    return (
      <Notice tone="good">
        <span>No device is in this state.</span>
      </Notice>
    );
  return (
    <Empty title="No devices yet" command="fleetgate backup coverage">
      Add devices first. A policy then backs them up at its times.
    </Empty>
  );
}
