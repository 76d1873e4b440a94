import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText } from '../../../api/amount-text.js';
import { shellWord } from '../../../api/equivalents.js';
import { Button } from '../../../ui/button.js';
import { CopyButton } from '../../../ui/copy.js';
import { Line } from '../../../ui/equivalent-lines.js';
import { FileDrop } from '../../../ui/files/file-drop.js';
import { Table } from '../../../ui/list-table.js';
import { Failure, Notice } from '../../../ui/messages.js';
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
          <Choice file={file} choose={choose} />
          {csv && !operation && <Preview csv={csv} />}
        </>
      )}
      {shownError ? <Failure error={shownError} /> : null}
      {operation && <Outcome operation={operation} csv={csv} onCancel={() => cancel.mutate(operation.id)} />}
      <FromShell name={file?.name} />
      <div className="row" style={{ justifyContent: 'flex-end' }}>
        {checked && checked.failed > 0 && (
          <label className="check">
            <input type="checkbox" checked={skipsErrors} onChange={() => setSkips(!skipsErrors)} />
            Leave out {countText(checked.failed, 'line')} with errors
          </label>
        )}
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
      </div>
    </div>
  );
}

/** The command that checks the same file. */
const FromShell = ({ name = 'fleet.csv' }: { name: string | undefined }): ReactNode => (
  <details className="equivalent">
    <summary className="small quiet">Do this from a shell</summary>
    <Line text={`fleetgate device import ${shellWord(name)} --dry-run`} />
  </details>
);

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

interface ChoiceProps {
  file: File | null;
  choose: (file: File | null) => void;
}

/** The area that takes the file, and before one is chosen an example of it. */
function Choice({ file, choose }: ChoiceProps): ReactNode {
  return (
    <>
      <FileDrop
        label="File with devices"
        hint="CSV as a spreadsheet saves it, or the NDJSON of an export"
        accept=".csv,.ndjson,.txt"
        file={file}
        choose={choose}
      />
      {file === null && <Example />}
    </>
  );
}

function Example(): ReactNode {
  return (
    <section className="stack">
      <div className="row spread">
        <h3>An example</h3>
        <div className="row">
          <CopyButton text={TEMPLATE} label="Copy the example" />
          <Button icon="download" onClick={() => void saveFile('fleet-template.csv', new Blob([TEMPLATE]).stream())}>
            Save as a file
          </Button>
        </div>
      </div>
      <code className="code wrap">{TEMPLATE.trim()}</code>
      <p className="small quiet">
        The columns name and base_url are needed. A device that is known by its serial number, or else by its name, is
        updated.
      </p>
    </section>
  );
}

const NEEDED = ['name', 'base_url'] as const;

/** The first lines, as the page reads them. */
function Preview({ csv }: { csv: CsvFile }): ReactNode {
  const rows = csv.lines.slice(0, PREVIEW_LINES);
  const missing = NEEDED.filter((name) => !csv.names.includes(name));
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
      {missing.length > 0 && (
        <Notice tone="warn">
          The first line has no column {missing.join(' and no column ')}. It is needed: rename the column that has it.
        </Notice>
      )}
      <Table label="The first lines of the file" rows={rows} rowKey={({ line }) => String(line)} columns={columns} />
    </div>
  );
}
