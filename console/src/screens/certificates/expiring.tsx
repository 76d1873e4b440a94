import { type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { ENDS_SOON_DAYS } from '../../api/limits/certificate-end.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { SelectField, TextField } from '../../ui/field.js';
import { Filters } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { useNow } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { CERTIFICATE_COLUMNS } from './certificate-columns.js';
import { ExpiryTimeline, ofMonth } from './expiry-timeline.js';
import styles from './certificates.module.css';
import { reissueColumn } from './reissue-column.js';
import { ENDING_SOON, Reissue, type ReissueOf } from './reissue.js';
import { ReissueOne } from './reissue-one.js';

type Certificate = Schema<'DeviceCertificate'>;

const DAY_MS = 86_400_000;

const HORIZONS = [
  [String(ENDS_SOON_DAYS), countText(ENDS_SOON_DAYS, 'day')],
  ['90', '90 days'],
  ['365', 'a year'],
  ['', 'any time'],
] as const;

/** Certificates on devices, as jobs, watches and TLS handshakes saw them, the earliest end first. */
export function Expiring(): ReactNode {
  const [{ days = '', selector = '', month }, change] = useSearchText();
  const now = useNow();
  const [opened] = useState(Date.now);
  const isHorizon = HORIZONS.some(([value]) => value === days && value !== ''); // an address may have any text
  const expiresBefore = isHorizon ? new Date(opened + Number(days) * DAY_MS).toISOString() : undefined;
  const list = useList('/v1/certificates', {
    key: KEYS.certificates.all,
    query: { expiresBefore, selector, limit: 200 },
  });
  const isNarrowed = days !== '' || selector !== '' || month !== undefined;
  const [reissued, setReissued] = useState<Certificate | null>(null);
  const [many, setMany] = useState<ReissueOf | null>(null);
  const mayRoll = useMay('rollout.manage');
  return (
    <div className="stack">
      <div className={`row spread ${styles['head']}`}>
        <Filters isNarrowed={isNarrowed}>
          <SelectField
            label="Ends within"
            value={days}
            options={HORIZONS}
            onChange={(event) => change({ days: event.target.value || undefined, pages: undefined })}
          />
          <SelectorField
            key={selector}
            selector={selector}
            apply={(text) => change({ selector: text || undefined, pages: undefined })}
          />
          {month !== undefined && <Button onClick={() => change({ month: undefined })}>Show every month</Button>}
        </Filters>
        {mayRoll && (
          <Button
            icon="refresh"
            onClick={() => setMany({ selector: selector || ENDING_SOON, type: 'server', name: '' })}
          >
            Reissue for many
          </Button>
        )}
      </div>
      {list.rows.length > 0 && <ExpiryTimeline rows={list.rows} hasMore={list.hasMore} />}
      <ListTable
        label="Certificates on devices"
        list={{ ...list, rows: ofMonth(list.rows, month, now) }}
        columns={mayRoll ? [...COLUMNS, reissueColumn(setReissued)] : COLUMNS}
        rowKey={({ deviceId, file }) => `${deviceId} ${file ?? ''}`}
        empty={<NoCertificates isNarrowed={isNarrowed} />}
      />
      {reissued && <ReissueOne certificate={reissued} onClose={() => setReissued(null)} />}
      {many && <Reissue of={many} onClose={() => setMany(null)} />}
    </div>
  );
}

function SelectorField({ selector, apply }: { selector: string; apply: (text: string) => void }): ReactNode {
  const [text, setText] = useState(selector);
  return (
    <TextField
      label="Devices"
      placeholder="tag:pump, then Enter"
      value={text}
      spellCheck={false}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => text.trim() !== selector && apply(text.trim())}
      onKeyDown={(event) => event.key === 'Enter' && apply(text.trim())}
    />
  );
}

const COLUMNS: readonly Column<Certificate>[] = [
  {
    title: 'Device',
    cell: ({ deviceId, deviceName }) => (
      <To to={`/devices/${deviceId}`} search={{ tab: 'trust' }} className="foreign cut" title={deviceName}>
        {deviceName}
      </To>
    ),
  },
  ...CERTIFICATE_COLUMNS,
];

function NoCertificates({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No certificate matches">Choose another time or other devices.</Empty>;
  return (
    <Empty
      title="No certificate is known yet"
      command="fleetgate job start pump-1 certificates --set type=server --set name=web --watch"
    >
      A job of the kind “Certificates” issues one on a device; the watch “certificates” reads those that are there.
    </Empty>
  );
}
