import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { Button } from '../../../ui/button.js';
import { Line } from '../../../ui/equivalent-lines.js';
import { Table } from '../../../ui/list-table.js';
import { Failure } from '../../../ui/messages.js';
import { saveFile } from '../../../api/save-file.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { type CsvFile, type CsvLine, decoded, readCsv, shownCells, TEMPLATE } from './csv-file.js';
import { Outcome } from './import-outcome.js';
import { useImport } from './use-import.js';

/** Lines of the preview. */
const PREVIEW_LINES = 5;
/** Larger files are not read by the page; the gateway reads them all the same. */
const READ_MAX_BYTES = 32 * 1024 * 1024;

/** Registers and updates devices from a file: first a check that shows the problems line by line, then the import. */
export function ImportFile(): ReactNode {
  const [file, setFile] = useState<File | null>(null);
  const [skipsErrors, setSkips] = useState(false);
  const { send, cancel, forget, importId, operation, error } = useImport();
  const csv = useCsv(file);
  const isRunning = operation?.state === 'running';
  const checked = operation?.dryRun && file ? operation.result : null;
  const choose = (chosen: File | null) => {
    setFile(chosen);
    setSkips(false);
    forget();
  };
  const start = (dryRun: boolean) => file && send.mutate({ file, dryRun, skipsErrors });
  const shownError = send.error ?? error;
  return (
    <div className="stack">
      {importId === null && (
        <>
          <Choice choose={choose} />
          {csv && !operation && <Preview csv={csv} />}
        </>
      )}
      {shownError ? <Failure error={shownError} /> : null}
      {operation && <Outcome operation={operation} csv={csv} onCancel={() => cancel.mutate(operation.id)} />}
      <div className="row">
        {importId !== null ? (
          <Button disabled={isRunning} onClick={() => choose(null)}>
            Import another file
          </Button>
        ) : (
          <>
            <Button disabled={!file || isRunning} busy={send.isPending} onClick={() => start(true)}>
              Check the file
            </Button>
            <Button
              kind="primary"
              disabled={!checked || checked.created + checked.updated === 0 || (checked.failed > 0 && !skipsErrors)}
              busy={send.isPending}
              onClick={() => start(false)}
            >
              Import {checked ? countText(checked.created + checked.updated, 'device') : ''}
            </Button>
          </>
        )}
        {checked && checked.failed > 0 && (
          <label className="check">
            <input type="checkbox" checked={skipsErrors} onChange={() => setSkips(!skipsErrors)} />
            Leave out {countText(checked.failed, 'line')} with errors
          </label>
        )}
      </div>
      <Line text="fleetgate device import fleet.csv --dry-run" />
    </div>
  );
}

/** The file as text; null: none is chosen, or it has no columns. */
function useCsv(file: File | null): CsvFile | null {
  const { data } = useQuery({
    queryKey: KEYS.file.one(file?.name, file?.size, file?.lastModified),
    queryFn: async () => readCsv(decoded(new Uint8Array(await file!.arrayBuffer()))),
    enabled: file !== null && file.size <= READ_MAX_BYTES && !file.name.endsWith('.ndjson'),
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
  });
  return file ? (data ?? null) : null;
}

function Choice({ choose }: { choose: (file: File | null) => void }): ReactNode {
  return (
    <>
      <p className="quiet">
        A CSV file with a header, as a spreadsheet saves it, or the NDJSON of an export. The columns name and base_url
        are needed. The serial number identifies a device, or else its name: devices that are known are updated.
      </p>
      <div className="row">
        <input
          className="input"
          type="file"
          aria-label="File with devices"
          accept=".csv,.ndjson,.txt"
          onChange={(event) => choose(event.target.files?.[0] ?? null)}
        />
        <Button onClick={() => void saveFile('fleet-template.csv', new Blob([TEMPLATE]).stream())}>Template</Button>
      </div>
    </>
  );
}

/** The first lines, as the page reads them. */
function Preview({ csv }: { csv: CsvFile }): ReactNode {
  const rows = csv.lines.slice(0, PREVIEW_LINES);
  const columns = csv.names.map((name, at) => ({
    title: name,
    cell: (line: CsvLine) => <span className="foreign">{shownCells(csv, line)[at] || '–'}</span>,
  }));
  return (
    <div className="stack">
      <p className="quiet" role="status">
        {countText(csv.lines.length, 'line')} with devices
        {csv.lines.length > PREVIEW_LINES ? `; the first ${PREVIEW_LINES}:` : ':'}
      </p>
      <Table label="The first lines of the file" rows={rows} rowKey={({ line }) => String(line)} columns={columns} />
    </div>
  );
}
