import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { type Cell, CellGrid } from '../../ui/devices/cell-grid.js';
import { Mark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { To, useSearchText } from '../../ui/to.js';
import { OutcomeMark } from './outcome-mark.js';
import { OUTCOMES, outcomeText, toneOf } from './requests.js';
import styles from './fan-outs.module.css';

type FanOut = Schema<'StoredFanOut'>;
type Cells = Schema<'FanOutGrid'>['cells'];

/** Between two looks at a fan-out that runs. */
const EVERY_MS = 2_000;

/** A cell for each device, filled as they answer. */
export function Grid({ fanOut }: { fanOut: FanOut }): ReactNode {
  const { id, state } = fanOut;
  const [{ outcome }] = useSearchText();
  const { data, error } = useQuery({
    queryKey: KEYS.fanOut.grid(id, state),
    queryFn: ({ signal }) => api.get('/v1/fan-outs/{fanOutId}/grid', { params: { path: { fanOutId: id } }, signal }),
    placeholderData: (before) => before,
    refetchInterval: state === 'running' ? EVERY_MS : false,
  });
  if (error) return <Failure error={error} />;
  return (
    <div className="stack">
      {data ? (
        <>
          <CellGrid cells={data.cells.map((one) => cellOf(one, outcome))} label={labelOf(data.cells)} />
          <Legend of={data.cells} />
        </>
      ) : (
        <Loading />
      )}
      {data?.more && (
        <p className="small quiet">Only the first {countText(data.cells.length, 'device')} can be shown.</p>
      )}
    </div>
  );
}

/** What the colours of the cells are. */
function Legend({ of }: { of: Cells }): ReactNode {
  const present = new Set(of.map((cell) => cell.outcome));
  return (
    <div className="row small">
      {OUTCOMES.map(([name]) => present.has(name) && <OutcomeMark key={name} outcome={name} />)}
      {present.has(null) && <Mark tone="plain">Waits</Mark>}
      <span className="quiet">A square is a device</span>
    </div>
  );
}

/** How many devices have which outcome; a click narrows the list of them. */
export function Counts({ fanOut: { counts, devices, waiting } }: { fanOut: FanOut }): ReactNode {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <nav className="row" aria-label="Devices by outcome">
      <To to="." search={{ view: 'outcomes' }}>
        All {devices.toLocaleString('en')}
      </To>
      {present.map(([outcome, count]) => (
        <To key={outcome} to="." search={{ view: 'outcomes', outcome }} className={`row ${styles['outcomeLink']}`}>
          <OutcomeMark outcome={outcome} /> {count.toLocaleString('en')}
        </To>
      ))}
      {waiting > 0 && (
        <span className="quiet" role="status">
          {waiting.toLocaleString('en')} wait
        </span>
      )}
    </nav>
  );
}

const cellOf = ({ deviceId, name, site, outcome }: Cells[number], chosen: string | undefined): Cell => ({
  deviceId,
  title: `${name}${site ? ` (${site})` : ''}: ${outcome === null ? 'waits' : outcomeText(outcome)}`,
  tone: outcome === null ? 'none' : toneOf(outcome),
  isDim: chosen !== undefined && outcome !== chosen,
});

const labelOf = (cells: Cells): string =>
  `${numberText(cells.filter(({ outcome }) => outcome !== null).length)} of ${countText(cells.length, 'device')} with an outcome`;
