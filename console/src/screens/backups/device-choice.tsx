import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { useRemovedName } from '../../api/names/device-names.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { idIn } from '../../ui/devices/device-ref.js';
import { SelectField } from '../../ui/field.js';
import { useSearchText } from '../../ui/to.js';
import { DeviceFilter } from '../jobs/device-filter.js';

/** A list of more devices is no help: its name is typed then. */
const CHOICES_MAX = 500;

/** The devices that have a backup, to choose one. */
export function DeviceChoice(): ReactNode {
  const [{ device }, change] = useSearchText();
  const removed = useRemovedName(idIn(device));
  const { data } = useQuery({
    queryKey: KEYS.backups.choices,
    queryFn: ({ signal }) => api.get('/v1/backups/coverage', { params: { query: { limit: CHOICES_MAX } }, signal }),
  });
  if (!data || data.next !== null) return <DeviceFilter />;
  const options = data.items
    .filter(({ artifactId }) => artifactId !== null)
    .map(({ deviceId, name }) => [deviceId, name] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b, 'en', { numeric: true }));
  const chosen = data.items.find(({ deviceId, name }) => deviceId === device || `name:${name}` === device);
  const isListed = device === undefined || options.some(([id]) => id === chosen?.deviceId);
  return (
    <SelectField
      label="Device"
      value={chosen?.deviceId ?? device ?? ''}
      options={[
        ['', 'Choose …'],
        ...(isListed
          ? []
          : [[chosen?.deviceId ?? device, chosen?.name ?? (removed ? `${removed} (removed)` : device)] as const]),
        ...options,
      ]}
      onChange={({ target: { value } }) => change({ device: value || undefined, a: undefined, b: undefined })}
    />
  );
}
