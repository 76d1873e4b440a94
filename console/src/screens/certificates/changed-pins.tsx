import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { AcceptPin } from './accept-pin.js';
import styles from './certificates.module.css';
import { PinDifference } from './pin-difference.js';

type Device = Pick<Schema<'Device'>, 'id' | 'name' | 'site' | 'trust' | 'seenAt'>;

type Certificate = Schema<'DeviceCertificate'>;

/** Rows have the fields that were asked for; the document cannot say which. */
const isWhole = <Row extends Partial<Device>>(row: Row): row is Row & Device =>
  [row.id, row.name, row.site, row.trust, row.seenAt].every((value) => value !== undefined);

/** Devices that show another certificate than before: the gateway sends them nothing until a person has decided. */
export function ChangedPins(): ReactNode {
  const list = useList('/v1/devices', {
    key: KEYS.devices.trustChanged,
    query: { selector: 'state=trust_changed', fields: 'name,site,trust,seenAt' },
  });
  const [accepted, setAccepted] = useState<Device | null>(null);
  return (
    <>
      <ListTable
        label="Devices with another certificate"
        list={{ ...list, rows: list.rows.filter(isWhole) }}
        columns={useColumns(setAccepted)}
        rowKey={({ id }) => id}
        empty={
          <Empty
            title="No device has changed its certificate"
            command="fleetgate device list --selector state=trust_changed"
          >
            The gateway remembers the key of each device. If another one answers, it sends no password there, and the
            device is shown here with both fingerprints.
          </Empty>
        }
      />
      {list.rows.length > 0 && (
        <Card title="Before you accept">
          <ol className={styles['steps']}>
            <li>Was the router reset, repaired or replaced? Then it has a new key, and you accept it.</li>
            <li>If you can, read the fingerprint on the router itself, and compare it with the one that it offers.</li>
            <li>
              Else another machine answers at its address: leave it as it is. The gateway sends it no password and no
              call.
            </li>
          </ol>
        </Card>
      )}
      {accepted && <AcceptPin device={accepted} onClose={() => setAccepted(null)} />}
    </>
  );
}

/** The certificates that devices showed last, by the ids of the devices. */
function useShown(): ReadonlyMap<string, Certificate> {
  const list = useList('/v1/certificates', {
    key: KEYS.certificates.all,
    query: { selector: 'state=trust_changed', limit: 200 },
    enabled: useMay('device.read'),
  });
  return new Map(list.rows.filter(({ file }) => file === null).map((one) => [one.deviceId, one]));
}

function useColumns(accept: (device: Device) => void): readonly Column<Device>[] {
  const mayTrust = useMay('device.trust');
  const shown = useShown();
  return [
    {
      title: 'Device',
      cell: ({ id, name }) => (
        <To to={`/devices/${id}`} search={{ tab: 'trust' }} className="foreign cut" title={name}>
          {name}
        </To>
      ),
    },
    { title: 'Site', narrow: 'beside', cell: ({ site }) => <span className="foreign cut">{site || '–'}</span> },
    {
      title: 'Fingerprint of the certificate',
      narrow: 'block',
      cell: ({ id, trust }) => <PinDifference trust={trust} known={shown.get(id)} />,
      brief: (device) => (
        <span className="stack">
          <PinDifference trust={device.trust} known={shown.get(device.id)} />
          {mayTrust && device.trust.offeredPin && (
            <span>
              <Button onClick={() => accept(device)}>Compare and accept</Button>
            </span>
          )}
        </span>
      ),
    },
    {
      title: 'Last seen',
      cell: ({ seenAt }) => <Ago at={seenAt} />,
      brief: ({ seenAt }) => (
        <>
          seen <Ago at={seenAt} />
        </>
      ),
    },
    {
      title: '',
      cell: (device) =>
        mayTrust && device.trust.offeredPin ? (
          <RowActions
            of={device.name}
            actions={[
              {
                text: 'Compare and accept',
                label: `Compare and accept the certificate of ${device.name}`,
                onSelect: () => accept(device),
              },
            ]}
          />
        ) : null,
    },
  ];
}
