import { useQuery } from '@tanstack/react-query';
import { memo, type MouseEvent, type ReactNode } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { Failure, Loading } from '../../ui/messages.js';
import { To, useGo, useSearchText } from '../../ui/to.js';
import { OutcomeMark } from './outcome-mark.js';
import { outcomeText, toneOf } from './requests.js';

type FanOut = Schema<'StoredFanOut'>;
type Cells = Schema<'FanOutGrid'>['cells'];

/** Between two looks at a fan-out that runs. */
const EVERY_MS = 2_000;

/** Of more devices the cells are smaller. */
const MANY = 200;
const VERY_MANY = 1_500;

/** A cell for each device, filled as they answer; and how many have which outcome. A click on a count narrows the table. */
export function Grid({ fanOut }: { fanOut: FanOut }): ReactNode {
  const { id, state } = fanOut;
  const [{ outcome }] = useSearchText();
  const { data, error } = useQuery({
    queryKey: ['fan-out', id, 'grid', state],
    queryFn: ({ signal }) => api.get('/v1/fan-outs/{fanOutId}/grid', { params: { path: { fanOutId: id } }, signal }),
    placeholderData: (before) => before,
    refetchInterval: state === 'running' ? EVERY_MS : false,
  });
  if (error) return <Failure error={error} />;
  return (
    <div className="stack">
      <Counts fanOut={fanOut} />
      {data ? <CellField cells={data.cells} chosen={outcome} /> : <Loading />}
      {data?.more && (
        <p className="small quiet">Only the first {countText(data.cells.length, 'device')} can be shown.</p>
      )}
    </div>
  );
}

function Counts({ fanOut: { counts, devices, waiting } }: { fanOut: FanOut }): ReactNode {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return (
    <nav className="row" aria-label="Devices by outcome">
      <To to="." search={{}}>
        All {devices.toLocaleString('en')}
      </To>
      {present.map(([outcome, count]) => (
        <To key={outcome} to="." search={{ outcome }} className="row outcome-link">
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

/** Plain cells with one handler: there are thousands. The table beside them says the same in words. */
const CellField = memo(function CellField({ cells, chosen }: { cells: Cells; chosen: string | undefined }): ReactNode {
  const go = useGo();
  const opened = ({ target }: MouseEvent) => {
    const id = target instanceof HTMLElement ? target.dataset['id'] : undefined;
    if (id) go(`/devices/${id}`);
  };
  const done = cells.filter(({ outcome }) => outcome !== null).length;
  return (
    <div
      className="outcome-grid"
      data-size={cells.length <= MANY ? 'large' : cells.length <= VERY_MANY ? 'normal' : 'small'}
      role="img"
      aria-label={`${numberText(done)} of ${countText(cells.length, 'device')} with an outcome`}
      onClick={opened}
    >
      {cells.map(({ deviceId, name, site, outcome }) => (
        <i
          key={deviceId}
          data-id={deviceId}
          data-tone={outcome === null ? 'none' : toneOf(outcome)}
          data-dim={chosen !== undefined && outcome !== chosen}
          title={`${name}${site ? ` (${site})` : ''}: ${outcome === null ? 'waits' : outcomeText(outcome)}`}
        />
      ))}
    </div>
  );
});
