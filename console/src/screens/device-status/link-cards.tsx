import { type ReactNode, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
import { interfaceText } from '../../api/device-texts.js';
import { Button } from '../../ui/button.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { durationText } from '../../ui/time.js';
import { type Client, clientsOf, type Link, linksOf, rateText } from './links.js';
import { type LiveReading } from './live-reading.js';
import styles from './status.module.css';

/** The interfaces with their rates, and the clients with an address of the router: what the device has of both. */
export function LinkCards({ reading }: { reading: LiveReading }): ReactNode {
  const { answers, at, before } = reading;
  const links = linksOf({ at, interfaces: answers.interfaces }, before);
  const clients = answers.leases === undefined ? null : clientsOf(answers.leases);
  if (links.length === 0 && clients === null) return null;
  return (
    <div className={styles['links']}>
      {links.length > 0 && (
        <Card title="Interfaces" flush>
          <Table label="Interfaces" columns={LINK_COLUMNS} rows={links} rowKey={({ id }) => id} />
        </Card>
      )}
      {clients && <Clients of={clients} />}
    </div>
  );
}

const text = (value: string) => <span className="foreign cut">{value}</span>;

const rate = (value: number | null) => <span className={styles['rate']}>{value === null ? '–' : rateText(value)}</span>;

const LINK_COLUMNS: readonly Column<Link>[] = [
  { title: 'Interface', narrow: 'heading', cell: ({ id }) => text(interfaceText(id)) },
  {
    title: 'Address',
    narrow: 'line',
    cell: ({ addresses }) => text(addresses.join(', ') || '–'),
    brief: ({ addresses }) => addresses.join(', ') || null,
  },
  {
    title: 'State',
    narrow: 'beside',
    cell: ({ isUp }) => (isUp === null ? '–' : <Mark tone={isUp ? 'good' : 'plain'}>{isUp ? 'Up' : 'Down'}</Mark>),
  },
  {
    title: '↓ Received',
    narrow: 'line',
    isNumber: true,
    cell: ({ received }) => rate(received),
    brief: ({ received }) => received !== null && `↓ ${rateText(received)}`,
  },
  {
    title: '↑ Sent',
    narrow: 'line',
    isNumber: true,
    cell: ({ sent }) => rate(sent),
    brief: ({ sent }) => sent !== null && `↑ ${rateText(sent)}`,
  },
  {
    title: 'Up for',
    narrow: 'none',
    cell: ({ upSeconds }) => (upSeconds === null ? '–' : durationText(upSeconds * 1_000)),
  },
];

const SHOWN = 8;

function Clients({ of }: { of: readonly Client[] }): ReactNode {
  const [isAll, setAll] = useState(false);
  return (
    <Card title={`Clients: ${numberText(of.length)}`} flush>
      {of.length === 0 ? (
        <p className={`quiet ${styles['none']}`}>The router has given no address.</p>
      ) : (
        <Table
          label="Clients"
          columns={CLIENT_COLUMNS}
          rows={isAll ? of : of.slice(0, SHOWN)}
          rowKey={({ address, mac }) => `${address} ${mac}`}
        />
      )}
      {of.length > SHOWN && (
        <Button kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Show fewer' : `${numberText(of.length - SHOWN)} more`}
        </Button>
      )}
    </Card>
  );
}

const CLIENT_COLUMNS: readonly Column<Client>[] = [
  {
    title: 'Name',
    narrow: 'heading',
    cell: ({ name }) => (name === null ? <span className="quiet">no name</span> : text(name)),
  },
  { title: 'Address', narrow: 'beside', cell: ({ address }) => text(address) },
  { title: 'MAC', narrow: 'line', cell: ({ mac }) => text(mac ?? '–') },
];
