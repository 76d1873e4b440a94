import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isRefused } from '../../api/problems.js';
import { selfQuery } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { Failure } from '../../ui/messages.js';
import { useSearchText } from '../../ui/to.js';
import { WaysToAdd, WithoutRouters } from './adding/ways-to-add.js';
import { BulkBar } from './bulk-bar.js';
import { fieldsOf } from './columns.js';
import { type DeviceFilter, useDeviceRows } from './device-rows.js';
import { DeviceTable } from './table/device-table.js';
import { Facets } from './facets/facets.js';
import { FilterLine } from './filter-line.js';
import { NoMatch } from './no-match.js';
import { useShownColumns } from './table/use-shown-columns.js';
import { SavedViews } from './views/saved-views.js';
import { useChoice } from './use-choice.js';
import styles from './devices.module.css';

/* The forms come when they are opened. */
const AddDevices = lazy(async () => ({ default: (await import('./adding/add-devices.js')).AddDevices }));

/** The fleet: filter, facets, table, and actions on what is chosen. All of its state is in the address. */
export function Devices(): ReactNode {
  const [search, change] = useSearchText();
  const { q, selector, sort = 'name', density, add, row } = search;
  const filter = useMemo<DeviceFilter>(
    () => ({ ...(q ? { q } : {}), ...(selector ? { selector } : {}) }),
    [q, selector],
  );
  const [view, setView] = useState({ first: 0, last: 0 });
  const onView = useCallback((first: number, last: number) => setView({ first, last }), []);
  const shown = useShownColumns();
  const rows = useDeviceRows(filter, sort, view.first, view.last, fieldsOf(shown));
  const choice = useChoice(filter, sort, rows.total ?? 0);
  const onPlace = usePlace(change);
  const [isFacets, setFacets] = useState(false); // narrow screens hide them at first
  const { data: self } = useQuery(selfQuery);
  const mayAdd = self?.permissions.includes('device.manage') ?? false;
  useEffect(() => {
    document.title = 'Devices · Fleetgate';
  }, []);
  const wrongSelector = isRefused(rows.error, 'invalid_selector') ? rows.error : null;
  const isEmptyFleet = rows.total === 0 && !q && !selector;
  return (
    <div className={styles['page']}>
      <div className="page-head">
        <h1>Devices</h1>
        <span className="quiet" role="status">
          {rows.total === null || isEmptyFleet
            ? ''
            : `${rows.total.toLocaleString('en')} ${q || selector ? 'match' : 'in all'}`}
        </span>
        <div className="row">
          {!isEmptyFleet && (
            <>
              <Button
                className={`button ${styles['facet-opener']}`}
                aria-expanded={isFacets}
                onClick={() => setFacets(!isFacets)}
              >
                Facets
              </Button>
              <SavedViews />
            </>
          )}
          {mayAdd && !isEmptyFleet && (
            <Button kind="primary" icon="plus" onClick={() => change({ add: 'one' })}>
              Add devices
            </Button>
          )}
        </div>
      </div>
      {!isEmptyFleet && <FilterLine refusal={wrongSelector} />}
      {isEmptyFleet ? (
        <NoDevices />
      ) : (
        <div className={styles['body']}>
          <Facets summary={rows.summary} isOpen={isFacets} onClose={() => setFacets(false)} />
          <div className={styles['main']}>
            {choice.count > 0 && <BulkBar choice={choice} />}
            {rows.error && !wrongSelector ? <Failure error={rows.error} /> : null}
            {rows.total === 0 && <NoMatch />}
            {rows.total !== 0 && (
              <DeviceTable
                columns={shown}
                rows={rows}
                sort={sort}
                onSort={(chosen) => change({ sort: chosen, row: undefined })}
                isChecked={choice.has}
                checked={choice.count}
                allChecked={choice.isAll && choice.without === 0}
                onCheck={choice.toggle}
                onCheckRange={choice.addRange}
                onCheckAll={choice.toggleAll}
                onView={onView}
                place={Number(row) || 0}
                onPlace={onPlace}
                isDense={density === 'compact'}
              />
            )}
          </div>
        </div>
      )}
      <Suspense>{add && mayAdd && <AddDevices way={add} />}</Suspense>
    </div>
  );
}

/** Scrolling does not wait for the address. */
const PLACE_AFTER_MS = 300;

/** Writes the first row on the screen into the address, so that a reload or a way back shows it again. */
function usePlace(change: (changed: { row: string | undefined }) => void): (first: number) => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (first: number) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(() => change({ row: first > 0 ? String(first) : undefined }), PLACE_AFTER_MS);
    },
    [change],
  );
}

function NoDevices(): ReactNode {
  return (
    <div className="stack">
      <p className="quiet">No devices yet. Add the first one in one of three ways.</p>
      <WaysToAdd />
      <WithoutRouters />
    </div>
  );
}
