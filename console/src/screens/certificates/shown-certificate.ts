import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';

type Certificate = Schema<'DeviceCertificate'>;

/** The certificate that one device showed last; undefined: none was read. */
export function useShownBy(deviceId: string): Certificate | undefined {
  const list = useList('/v1/certificates', {
    key: KEYS.certificates.of(deviceId),
    query: { selector: `id=${deviceId}` },
    enabled: useMay('device.read'),
  });
  return list.rows.find(({ file }) => file === null);
}
