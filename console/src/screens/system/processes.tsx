import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Mark, type Tone } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';

type Process = Schema<'System'>['processes'][number];

const ROLES: Readonly<Record<Process['role'], string>> = { all: 'API and jobs', api: 'API', worker: 'Jobs' };

/** All processes of the installation; dead ones of the last day stand at the end. */
export function Processes({ processes, answering }: { processes: readonly Process[]; answering: string }): ReactNode {
  const rows = [...processes].sort((a, b) => Number(b.alive) - Number(a.alive) || (a.startedAt < b.startedAt ? 1 : -1));
  return (
    <Card title="Processes" flush>
      <Table label="Processes" columns={columnsFor(answering)} rows={rows} rowKey={({ id }) => id} />
    </Card>
  );
}

const columnsFor = (answering: string): readonly Column<Process>[] => [
  {
    title: 'Host',
    cell: ({ host, id }) => (
      <span className="foreign cut" title={`${host}, process ${id}`}>
        {host}
      </span>
    ),
  },
  { title: 'State', cell: (process) => <Mark tone={stateOf(process)[0]}>{stateOf(process)[1]}</Mark> },
  { title: 'Role', narrow: 'line', cell: ({ role }) => ROLES[role] },
  {
    title: 'Version',
    narrow: 'line',
    cell: ({ version }) => (version === answering ? version : <Mark tone="warn">{version}</Mark>),
  },
  { title: 'Node', cell: ({ node }) => node },
  {
    title: 'Started',
    cell: ({ startedAt }) => <Ago at={startedAt} />,
    brief: ({ startedAt }) => (
      <>
        started <Ago at={startedAt} />
      </>
    ),
  },
  { title: 'Last heartbeat', cell: ({ aliveAt }) => <Ago at={aliveAt} /> },
];

function stateOf({ alive, checks }: Process): [Tone, string] {
  if (!alive) return ['plain', 'Ended'];
  const missing = Object.entries(checks).flatMap(([name, state]) => (state === 'unavailable' ? [name] : []));
  return missing.length > 0 ? ['bad', `Not ready: ${missing.join(', ')}`] : ['good', 'Ready'];
}
