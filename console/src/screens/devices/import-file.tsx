import { type ReactNode, useState } from 'react';
import { unmarked } from '../../../../src/api-client/problem-words.js';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Line } from '../../ui/equivalent-lines.js';
import { Table } from '../../ui/list-table.js';
import { Failure, Notice } from '../../ui/messages.js';

type Result = Schema<'FleetImport'>;

const HEADER = 'name,base_url,username,password,site,tags\npump-1,https://192.0.2.7,admin,,vilnius/plant-2,pump';

/** Registers and updates devices from a file: first a check that shows the problems line by line, then the import. */
export function ImportFile(): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [checked, setChecked] = useState<Result | null>(null);
  const [skipsErrors, setSkips] = useState(false);
  const send = (dryRun: boolean) => {
    const type = file?.name.endsWith('.ndjson') ? 'application/x-ndjson' : 'text/csv';
    const query = { onError: dryRun || skipsErrors ? 'skip' : 'stop', ...(dryRun ? { dryRun: 'true' } : {}) } as const;
    return api.upload('/v1/devices/import', file ?? new Blob(), { type, params: { query } }) as Promise<Result>;
  };
  const check = useAction({
    run: () => send(true),
    done: 'The file is checked; nothing was changed',
    after: setChecked,
    quiet: true,
  });
  const run = useAction({
    run: () => send(false),
    done: ({ created, updated }) => `${created} devices registered, ${updated} updated`,
    refreshes: ['devices'],
    after: setChecked,
    quiet: true,
  });
  const error = run.error ?? check.error;
  return (
    <div className="stack">
      <p className="quiet">
        A CSV file with a header, or NDJSON. The serial number identifies a device, or else its name: devices that are
        known are updated.
      </p>
      <pre className="code" tabIndex={0}>
        {HEADER}
      </pre>
      <input
        className="input"
        type="file"
        aria-label="File with devices"
        accept=".csv,.ndjson,.txt"
        onChange={(event) => {
          setFile(event.target.files?.[0] ?? null);
          setChecked(null);
          check.reset();
          run.reset();
        }}
      />
      {error ? <Failure error={error} /> : null}
      {checked && <Outcome result={checked} />}
      <div className="row">
        <Button disabled={!file} busy={check.isPending} onClick={() => check.mutate()}>
          Check the file
        </Button>
        <Button
          kind="primary"
          disabled={!file || !checked?.dryRun || (checked.failed > 0 && !skipsErrors)}
          busy={run.isPending}
          onClick={() => run.mutate()}
        >
          Import {checked?.dryRun ? `${checked.created + checked.updated} devices` : ''}
        </Button>
        {checked?.dryRun && checked.failed > 0 && (
          <label className="check">
            <input type="checkbox" checked={skipsErrors} onChange={() => setSkips(!skipsErrors)} />
            Leave out {checked.failed} lines with errors
          </label>
        )}
      </div>
      <Line text="fleetgate device import fleet.csv --dry-run" />
    </div>
  );
}

function Outcome({
  result: { dryRun, lines, created, updated, unchanged, failed, errors, changes = [] },
}: {
  result: Result;
}): ReactNode {
  return (
    <>
      <Notice tone={failed > 0 ? 'warn' : 'good'}>
        <span role="status">
          {lines} lines: {created} {dryRun ? 'would be registered' : 'registered'}, {updated} updated, {unchanged}{' '}
          unchanged, {failed} with errors.
        </span>
      </Notice>
      {errors.length > 0 && (
        <Table
          label="Lines with errors"
          rows={errors}
          rowKey={({ line, field, code }) => `${line} ${field} ${code}`}
          columns={[
            { title: 'Line', cell: ({ line }) => line, isNumber: true },
            { title: 'Field', cell: ({ field }) => field ?? '–' },
            { title: 'Problem', cell: ({ detail }) => <span className="foreign">{unmarked(detail)}</span> },
          ]}
        />
      )}
      {changes.some(isRename) && (
        <Notice tone="warn">
          Look twice, by their serial number these get another name: {changes.filter(isRename).length} of{' '}
          {changes.length} known devices.
        </Notice>
      )}
      {changes.length > 0 && (
        <Table
          label="What would change"
          rows={changes}
          rowKey={({ line }) => String(line)}
          columns={[
            { title: 'Line', cell: ({ line }) => line, isNumber: true },
            { title: 'Device', cell: ({ device }) => <span className="foreign">{device}</span> },
            {
              title: 'Change',
              cell: ({ fields }) => <span className="foreign">{fields.map(changeText).join('; ')}</span>,
            },
          ]}
        />
      )}
    </>
  );
}

type Change = NonNullable<Result['changes']>[number];

const isRename = ({ fields }: Change): boolean => fields.some(({ field }) => field === 'name');

function changeText({ field, before, after }: Change['fields'][number]): string {
  const shown = (value: typeof before) =>
    value === null || value === '' ? '–' : Array.isArray(value) ? value.join(' ') : String(value);
  return `${field}: ${shown(before)} → ${shown(after)}`;
}
