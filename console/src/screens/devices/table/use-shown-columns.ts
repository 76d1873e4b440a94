import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useMay } from '../../../api/may.js';
import { useSearchText } from '../../../ui/to.js';
import { policiesQuery } from '../../monitoring/shown/policies-query.js';
import { shownColumns } from '../columns.js';
import { type DeviceColumn } from '../device-rows.js';

const KEY = 'fleetgate.sampled';

/** The columns of the address, or the usual ones: those of values only where a collection reads any. */
export function useShownColumns(): readonly DeviceColumn[] {
  const [{ columns }] = useSearchText();
  const isSampled = useSampled();
  return useMemo(() => shownColumns(columns, isSampled), [columns, isSampled]);
}

/** Whether any device is sampled. The browser remembers it, so that no column comes after the first rows. */
function useSampled(): boolean {
  const mayRead = useMay('monitoring.read');
  const { data } = useQuery({ ...policiesQuery, enabled: mayRead });
  const isSampled = data?.items.some(({ enabled }) => enabled);
  useEffect(() => {
    if (isSampled !== undefined) localStorage.setItem(KEY, isSampled ? 'yes' : 'no');
  }, [isSampled]);
  return isSampled ?? localStorage.getItem(KEY) === 'yes';
}
