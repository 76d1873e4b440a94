import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Button } from '../../ui/button.js';
import { LockReasons } from '../../ui/devices/lock-reasons.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Empty } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { type SearchText, To, useSearchText } from '../../ui/to.js';
import { OutcomeMark } from './outcome-mark.js';
import { outcomeText, whyText } from './requests.js';

type Device = Schema<'FanOutDevice'>;

const COLUMNS: readonly Column<Device>[] = [
  {
    title: 'Device',
    cell: ({ deviceId, name }) => (
      <To to={`/devices/${deviceId}`} className="foreign cut" title={name}>
        {name}
      </To>
    ),
  },
  { title: 'Outcome', cell: ({ outcome }) => <OutcomeMark outcome={outcome} /> },
  {
    title: 'Why',
    brief: ({ reason, deviceCodes, why }) =>
      [whyText(reason), why ?? deviceCodes.join(', ')].filter(Boolean).join(', '),
    cell: ({ deviceId, reason, deviceCodes, why }) => (
      <span className="foreign">
        {whyText(reason) || '–'}
        {reason === 'locked' && <LockReasons devices={[deviceId]} />}
        {deviceCodes.length > 0 && <span className="quiet"> (device: {why ?? deviceCodes.join(', ')})</span>}
      </span>
    ),
  },
  {
    title: 'Status',
    cell: ({ status }) => status ?? '–',
    isNumber: true,
    brief: ({ status }) => status && `status ${status}`,
  },
  {
    title: 'Answer',
    cell: ({ digest, deviceId }) => (digest ? <AnswerLink digest={digest} deviceId={deviceId} /> : '–'),
  },
  {
    title: 'Duration',
    narrow: 'line',
    cell: ({ ms }) => (ms === null ? '–' : `${ms.toLocaleString('en')} ms`),
    isNumber: true,
  },
];

/** Opens the answer beside the table. */
function AnswerLink({ digest, deviceId }: { digest: string; deviceId: string }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="." search={{ ...search, answer: digest, of: deviceId }} title={digest}>
      Open
    </To>
  );
}

/** Between two looks at a fan-out that runs. */
const EVERY_MS = 2_000;

/** The devices that the address names by outcome, reason or answer. */
export function FanOutDevices({ fanOutId, isRunning }: { fanOutId: string; isRunning: boolean }): ReactNode {
  const [{ outcome, reason, digest }, change] = useSearchText();
  const list = useList('/v1/fan-outs/{fanOutId}/devices', {
    key: KEYS.fanOut.devices(fanOutId),
    path: { fanOutId },
    query: { outcome, reason, digest, limit: 50 },
    ...(isRunning ? { every: EVERY_MS } : {}),
  });
  const isNarrowed = Boolean(outcome ?? reason ?? digest);
  const clear = () => change({ outcome: undefined, reason: undefined, digest: undefined, pages: undefined });
  return (
    <div className="stack">
      <Card
        title={narrowedTitle({ outcome, reason, digest })}
        flush
        actions={isNarrowed && <Button onClick={clear}>Show all</Button>}
      >
        <ListTable
          label="Devices of the bulk query"
          list={list}
          columns={COLUMNS}
          rowKey={({ deviceId }) => deviceId}
          empty={
            <Empty title={isNarrowed ? 'No device matches' : 'No device has an outcome so far'}>
              {isNarrowed ? 'Choose another outcome or group.' : 'Outcomes are shown as the devices answer.'}
            </Empty>
          }
        />
      </Card>
    </div>
  );
}

function narrowedTitle({ outcome, reason, digest }: SearchText): string {
  const parts = [
    outcome && outcomeText(outcome).toLowerCase(),
    reason && whyText(reason),
    digest && 'with the chosen answer',
  ];
  return ['Devices', parts.filter(Boolean).join(', ')].filter(Boolean).join(': ');
}
