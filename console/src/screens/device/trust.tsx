import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago, exactText } from '../../ui/time.js';
import { AcceptPin } from '../certificates/accept-pin.js';

type Device = Schema<'Device'>;

const MODES = {
  pin: 'the key that it showed first, or that a person has accepted',
  ca: 'a certificate that your authority has signed',
  insecure: 'nothing: any machine at its address is taken for it',
} as const;

/** How the gateway recognises a device, and the certificates on it. */
export function DeviceTrust({ device }: { device: Device }): ReactNode {
  const { trust } = device;
  const [isAccept, setAccept] = useState(false);
  const mayTrust = useMay('device.trust');
  return (
    <>
      <Card title="How the gateway recognises it">
        <div className="stack">
          <Facts
            of={[
              ['Recognised by', MODES[trust.mode]],
              [
                'Known fingerprint',
                trust.pin && (
                  <code key="known" className="foreign">
                    {trust.pin}
                  </code>
                ),
              ],
              ...(trust.offeredPin
                ? [
                    [
                      'It shows now',
                      <code key="offered" className="foreign">
                        {trust.offeredPin}
                      </code>,
                    ] as const,
                  ]
                : []),
              ...(trust.expiresAt ? [['Ends', exactText(trust.expiresAt)] as const] : []),
            ]}
          />
          {trust.offeredPin && mayTrust && (
            <div>
              <Button kind="primary" onClick={() => setAccept(true)}>
                Compare and accept
              </Button>
            </div>
          )}
        </div>
      </Card>
      <Certificates of={device} />
      {isAccept && <AcceptPin device={device} onClose={() => setAccept(false)} />}
    </>
  );
}

function Certificates({ of }: { of: Device }): ReactNode {
  const list = useList('/v1/certificates', { key: ['certificates', 'of', of.id], query: { selector: `id=${of.id}` } });
  return (
    <ListTable
      label="Certificates on this device"
      list={list}
      rowKey={({ file, fingerprint }) => `${file ?? ''} ${fingerprint}`}
      columns={[
        {
          title: 'File',
          cell: ({ file }) =>
            file === null ? <span className="quiet">shown in TLS</span> : <span className="foreign cut">{file}</span>,
        },
        { title: 'Type', cell: ({ type }) => <span className="foreign cut">{type}</span> },
        {
          title: 'Subject',
          cell: ({ subject }) => (
            <span className="foreign cut" title={subject}>
              {subject}
            </span>
          ),
        },
        { title: 'Ends', cell: ({ notAfter }) => <Ago at={notAfter} /> },
        { title: 'Seen', cell: ({ seenAt }) => <Ago at={seenAt} /> },
      ]}
      empty={
        <Empty title="No certificates are known" command={`fleetgate job start id:${of.id} certificates --watch`}>
          A job for certificates reads those on the device, and lists them here with their ends.
        </Empty>
      }
    />
  );
}
