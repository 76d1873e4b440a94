import { type ReactNode } from 'react';
import { KEYS } from '../../api/keys/query-keys.js';
import { useList } from '../../api/lists.js';
import { CertificateEnd } from '../../ui/devices/certificate-end.js';
import { Facts } from '../../ui/page.js';
import { typeText } from './reissue.js';

/** The files of certificates that are known on a device, with their ends; nothing where none is known. */
export function CertificatesNow({ deviceId }: { deviceId: string }): ReactNode {
  const list = useList('/v1/certificates', {
    key: KEYS.certificates.of(deviceId),
    query: { selector: `id=${deviceId}` },
  });
  const files = list.rows.filter(({ file }) => file !== null);
  if (files.length === 0) return null;
  return (
    <section className="stack" aria-label="Certificates on the device now">
      <h3>On the device now</h3>
      <Facts
        of={files.map(({ file, type, notBefore, notAfter }) => [
          file ?? '',
          <span key={file} className="row">
            {typeText(type)}
            {notBefore && notAfter && <CertificateEnd from={notBefore} at={notAfter} />}
          </span>,
        ])}
      />
    </section>
  );
}
