import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { sentence } from '../../api/device-texts.js';
import { type Column, Table } from '../../ui/list-table.js';
import { Card } from '../../ui/page.js';
import { useNarrow } from '../../ui/rows/narrow.js';
import styles from './access.module.css';
import { nounTitle, PERMISSION_NOUNS } from './permissions.js';
import { type Extent, extentOf, type Rule } from './role-grants.js';

type Role = Schema<'Role'>;

interface Line {
  readonly permission: string;
  /** What its holder may do. */
  readonly text: string;
  /** In the first line of each noun. */
  readonly noun: string | null;
}

const LINES: readonly Line[] = PERMISSION_NOUNS.flatMap(([noun, permissions]) =>
  permissions.map(([permission, to], at) => ({
    permission,
    text: sentence(to),
    noun: at === 0 ? nounTitle(noun) : null,
  })),
);

/** Which role may do what: a line for each permission, a column for each role. */
export function RoleMatrix({ roles }: { roles: readonly Role[] }): ReactNode {
  const isNarrow = useNarrow();
  return (
    <Card title="What each role may do" flush>
      <p className={`small quiet ${styles['matrixKey']}`}>
        <span>
          <Cell extent="all" /> on all devices
        </span>
        <span>
          <Cell extent="some" /> on some devices, or at some paths
        </span>
      </p>
      <Table
        label="Permissions by role"
        rows={LINES}
        rowKey={({ permission }) => permission}
        columns={isNarrow ? [MAY, holders(roles)] : [ABOUT, MAY, ...roles.map(columnOf)]}
      />
    </Card>
  );
}

const ABOUT: Column<Line> = { title: 'About', cell: ({ noun }) => noun && <strong>{noun}</strong> };

const MAY: Column<Line> = {
  title: 'May',
  narrow: 'heading',
  cell: ({ text, permission }) => <span title={permission}>{text}</span>,
};

const columnOf = (role: Role): Column<Line> => ({
  title: role.name,
  isMiddle: true,
  cell: ({ permission }) => <Cell extent={extentOf(role.rules as Rule[], permission)} />,
});

/** On narrow screens the roles that may. */
const holders = (roles: readonly Role[]): Column<Line> => ({
  title: 'Roles',
  narrow: 'block',
  cell: ({ permission }) => (
    <span className="foreign quiet">
      {roles
        .map(({ name, rules }) => [name, extentOf(rules as Rule[], permission)] as const)
        .filter(([, extent]) => extent !== 'none')
        .map(([name, extent]) => (extent === 'some' ? `${name} (in part)` : name))
        .join(', ')}
    </span>
  ),
});

const SHOWN: Readonly<Record<Extent, readonly [shape: string, text: string]>> = {
  all: ['●', 'yes'],
  some: ['◐', 'in part'],
  none: ['', 'no'],
};

function Cell({ extent }: { extent: Extent }): ReactNode {
  const [shape, text] = SHOWN[extent];
  return (
    <span className={styles['extent']} data-extent={extent} title={text}>
      <span aria-hidden="true">{shape}</span>
      <span className="visually-hidden">{text}</span>
    </span>
  );
}
