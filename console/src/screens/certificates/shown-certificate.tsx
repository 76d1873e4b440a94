import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Ago } from '../../ui/time.js';

type Certificate = Schema<'DeviceCertificate'>;

/** Of whom the certificate is that the gateway has read from a device last, and from when to when it is valid. */
export function ShownCertificate({ of }: { of: Certificate | undefined }): ReactNode {
  if (!of) return null;
  return (
    <span className="small quiet foreign">
      The last one that was read: {of.subject}, issued by {of.issuer === of.subject ? 'itself' : of.issuer}{' '}
      <Ago at={of.notBefore} />, ends <Ago at={of.notAfter} />, last seen <Ago at={of.seenAt} />
    </span>
  );
}

/** The certificate that one device showed last; undefined: none was read. */
export function useShownBy(deviceId: string): Certificate | undefined {
  const list = useList('/v1/certificates', {
    key: KEYS.certificates.of(deviceId),
    query: { selector: `id=${deviceId}` },
    enabled: useMay('device.read'),
  });
  return list.rows.find(({ file }) => file === null);
}
