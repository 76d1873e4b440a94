import { useQuery } from '@tanstack/react-query';
import { deviceQuery } from '../../api/queries.js';
import { refOf } from '../../ui/devices/device-ref.js';
import { type SearchText, useSearchText } from '../../ui/to.js';

/** The names of the filters in the address. */
export const FILTERS = [
  'who',
  'actor',
  'action',
  'only',
  'device',
  'selector',
  'jobId',
  'operation',
  'outcome',
  'requestId',
  'since',
  'until',
] as const;

interface ChosenFilters {
  /** The filters as the list takes them. */
  readonly query: SearchText;
  /** The address names a device that is not registered. */
  readonly unknownDevice: boolean;
  readonly isNarrowed: boolean;
}

/** The filters of the address. A device may be given by its name; the log has only ids, also of removed devices. */
export function useFilters(): ChosenFilters {
  const [search] = useSearchText();
  const device = refOf(search['device'] ?? '') ?? '';
  const isRef = device.includes(':');
  const found = useQuery({ ...deviceQuery(device), enabled: isRef });
  const { device: _device, ...rest } = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  const deviceId = isRef ? (found.data?.id ?? NO_DEVICE) : device || undefined;
  return {
    query: { ...rest, deviceId },
    unknownDevice: isRef && found.error !== null,
    isNarrowed: FILTERS.some((name) => search[name]),
  };
}

/** No device has it: while a name is looked up, entries of other devices must not show. */
const NO_DEVICE = '00000000-0000-0000-0000-000000000000';
