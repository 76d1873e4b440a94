import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { CopyButton } from '../../ui/copy.js';
import { CertificateEnd } from '../../ui/devices/certificate-end.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { exactText } from '../../ui/time.js';
import { CERTIFICATE_COLUMNS } from '../certificates/certificate-columns.js';
import { Pin } from '../certificates/pin-difference.js';
import { reissueColumn } from '../certificates/reissue-column.js';
import { ReissueOne } from '../certificates/reissue-one.js';
import { TrustCard } from '../device-outage/trust-card.js';

type Device = Schema<'Device'>;

const MODES = {
  pin: 'the key of its web certificate, as it showed it first or a person has accepted it',
  ca: 'a certificate that your authority has signed',
  insecure: 'nothing: any machine at its address is taken for it',
} as const;

/** How the gateway recognises a device, and the certificates on it. */
export function DeviceTrust({ device }: { device: Device }): ReactNode {
  const { trust } = device;
  return (
    <>
      {device.state === 'trust_changed' && <TrustCard device={device} />}
      <Card title="How the gateway recognises it">
        <div className="stack">
          <Facts
            of={[
              ['Recognised by', MODES[trust.mode]],
              ...(trust.offeredPin
                ? []
                : [
                    [
                      'Known fingerprint',
                      trust.pin && (
                        <span key="known" className="row">
                          <Pin of={trust.pin} />
                          <CopyButton text={trust.pin} label="Copy the fingerprint" />
                        </span>
                      ),
                    ] as const,
                  ]),
              ...(trust.expiresAt
                ? [
                    [
                      'Ends',
                      <span key="ends" className="row">
                        <CertificateEnd at={trust.expiresAt} />
                        <span className="quiet">{exactText(trust.expiresAt)}</span>
                      </span>,
                    ] as const,
                  ]
                : []),
            ]}
          />
        </div>
      </Card>
      <Certificates of={device} />
    </>
  );
}

function Certificates({ of }: { of: Device }): ReactNode {
  const list = useList('/v1/certificates', { key: KEYS.certificates.of(of.id), query: { selector: `id=${of.id}` } });
  const [reissued, setReissued] = useState<Schema<'DeviceCertificate'> | null>(null);
  const mayRoll = useMay('rollout.manage');
  return (
    <Card title="Certificates on it" flush>
      <ListTable
        label="Certificates on this device"
        list={list}
        rowKey={({ file, fingerprint }) => `${file ?? ''} ${fingerprint}`}
        columns={mayRoll ? [...COLUMNS, reissueColumn(setReissued)] : COLUMNS}
        empty={
          <Empty title="No certificates are known" command={`fleetgate job start id:${of.id} certificates --watch`}>
            A job of the kind “Certificates” reads those on the device. They are then here, with their ends.
          </Empty>
        }
      />
      {reissued && <ReissueOne certificate={reissued} onClose={() => setReissued(null)} />}
    </Card>
  );
}

/** Of one device a certificate is named by its file. */
const COLUMNS: readonly Column<Schema<'DeviceCertificate'>>[] = CERTIFICATE_COLUMNS.map((column, at) =>
  at === 0 ? { ...column, narrow: 'heading' } : column,
);
