import { type ReactNode } from 'react';
import { countText, numberText } from '../../../api/amount-text.js';
import { ApiError, type Schema } from '../../../api/client.js';
import { Button } from '../../../ui/button.js';
import { Table } from '../../../ui/list-table.js';
import { Failure, Notice } from '../../../ui/messages.js';
import { saveFile } from '../../../api/save-file.js';
import { unmarked } from '../../../../../src/api-client/problem-words.js';
import { badCell, badLinesFile, type CsvFile, type LineProblem } from './csv-file.js';
import { type Operation } from './use-import.js';

type Result = Schema<'FleetImport'>;

/** A spreadsheet takes a file with this mark for UTF-8. */
const UTF8_MARK = '\uFEFF';
/** Of a cell that is wrong. */
const CELL_MAX = 80;

/** How far a check or an import is, and what came of it. @param csv the file, where the page has it */
export function Outcome({
  operation,
  csv,
  onCancel,
}: {
  operation: Operation;
  csv: CsvFile | null;
  onCancel: () => void;
}): ReactNode {
  const { state, result, failure } = operation;
  if (state === 'running') return <Running operation={operation} onCancel={onCancel} />;
  if (state === 'cancelled')
    return (
      <Notice tone="warn">
        <span role="status">The import was cancelled. Nothing was imported.</span>
      </Notice>
    );
  if (result) return <Counts result={result} csv={csv} />;
  if (!failure) return null;
  const problems = failure.errors.filter(isLineProblem);
  return (
    <>
      <Failure error={new ApiError(422, failure.code, { ...failure, title: failure.detail, detail: null })} />
      <BadLines problems={problems} csv={csv} />
    </>
  );
}

function Running({ operation, onCancel }: { operation: Operation; onCancel: () => void }): ReactNode {
  const { lines, doneLines, dryRun } = operation;
  return (
    <div className="stack">
      <div className="row spread">
        <span role="status">
          {dryRun ? 'Checking' : 'Importing'}: {lines === null ? 'reading the file …' : progressText(operation)}
        </span>
        {!dryRun && <Button onClick={onCancel}>Cancel</Button>}
      </div>
      <div
        className="bar"
        role="progressbar"
        aria-label={dryRun ? 'Lines that are checked' : 'Lines that are imported'}
        aria-valuenow={doneLines}
        aria-valuemin={0}
        aria-valuemax={lines ?? doneLines + 1}
      >
        <i style={{ width: `${(100 * doneLines) / Math.max(1, lines ?? 1)}%` }} />
      </div>
      {!dryRun && (
        <p className="small quiet">
          It goes on when you close this page. Come back to Add devices, A file, to see how it ended.
        </p>
      )}
    </div>
  );
}

const progressText = ({ doneLines, lines }: Operation): string =>
  `${numberText(doneLines)} of ${countText(lines ?? 0, 'line')}`;

function Counts({ result, csv }: { result: Result; csv: CsvFile | null }): ReactNode {
  const { dryRun, lines, created, updated, unchanged, failed, errors, changes = [] } = result;
  return (
    <>
      <Notice tone={failed > 0 ? 'warn' : 'good'}>
        <span role="status">
          {dryRun ? 'Checked, nothing was changed. ' : ''}
          {countText(lines, 'line')}: {numberText(created)} {dryRun ? 'would be ' : ''}registered, {numberText(updated)}{' '}
          {dryRun ? 'would be ' : ''}updated, {numberText(unchanged)} unchanged, {numberText(failed)} with errors.
        </span>
      </Notice>
      <BadLines problems={errors} csv={csv} />
      <Changes changes={changes} />
    </>
  );
}

function BadLines({ problems, csv }: { problems: readonly LineProblem[]; csv: CsvFile | null }): ReactNode {
  if (problems.length === 0) return null;
  const cellText = ({ line, field }: LineProblem) => {
    const cell = csv && badCell(csv, line, field);
    return cell === null ? '–' : cell === '' ? <span className="quiet">empty</span> : cell.slice(0, CELL_MAX);
  };
  const bad = new Set(problems.map(({ line }) => line)).size;
  return (
    <>
      <Table
        label="Lines with errors"
        rows={[...new Map(problems.map((problem) => [keyOf(problem), problem])).values()]}
        rowKey={keyOf}
        columns={[
          {
            title: 'Line',
            cell: ({ line }) => numberText(line),
            brief: ({ line }) => `line ${numberText(line)}`,
            isNumber: true,
          },
          { title: 'Column', narrow: 'line', cell: ({ field }) => (field === null ? '–' : <code>{field}</code>) },
          { title: 'Cell', narrow: 'line', cell: (problem) => <span className="foreign">{cellText(problem)}</span> },
          {
            title: 'Problem',
            narrow: 'block',
            cell: ({ detail }) => <span className="foreign">{unmarked(detail)}</span>,
          },
        ]}
      />
      {csv && (
        <div>
          <Button
            onClick={() => void saveFile('bad-lines.csv', new Blob([UTF8_MARK, badLinesFile(csv, problems)]).stream())}
          >
            Download the {countText(bad, 'bad line')}
          </Button>
        </div>
      )}
    </>
  );
}

/** Two tags of a line may have the same problem. */
const keyOf = ({ line, field, detail }: LineProblem): string => `${line} ${field} ${detail}`;

const isLineProblem = (error: unknown): error is LineProblem =>
  typeof (error as LineProblem | null)?.line === 'number' && typeof (error as LineProblem).detail === 'string';

type Change = NonNullable<Result['changes']>[number];

function Changes({ changes }: { changes: readonly Change[] }): ReactNode {
  const renamed = changes.filter(isRename).length;
  if (changes.length === 0) return null;
  return (
    <>
      {renamed > 0 && (
        <Notice tone="warn">
          Look twice, by their serial number these get another name: {numberText(renamed)} of{' '}
          {countText(changes.length, 'known device')}.
        </Notice>
      )}
      <Table
        label="What would change"
        rows={changes}
        rowKey={({ line }) => String(line)}
        columns={[
          {
            title: 'Line',
            cell: ({ line }) => numberText(line),
            brief: ({ line }) => `line ${numberText(line)}`,
            isNumber: true,
          },
          { title: 'Device', narrow: 'heading', cell: ({ device }) => <span className="foreign">{device}</span> },
          {
            title: 'Change',
            narrow: 'block',
            cell: ({ fields }) => <span className="foreign">{fields.map(changeText).join('; ')}</span>,
          },
        ]}
      />
    </>
  );
}

const isRename = ({ fields }: Change): boolean => fields.some(({ field }) => field === 'name');

/** The columns of a file, which people know better than the names of the API. */
const COLUMNS: Readonly<Record<string, string>> = {
  baseUrl: 'base_url',
  timeZone: 'time_zone',
  spareUrl: 'spare_url',
  trustPin: 'pin',
  credentials: 'login',
};

function changeText({ field, before, after }: Change['fields'][number]): string {
  const shown = (value: typeof before) =>
    value === null || value === '' ? '–' : Array.isArray(value) ? value.join(' ') : String(value);
  return `${COLUMNS[field] ?? field}: ${shown(before)} → ${shown(after)}`;
}
