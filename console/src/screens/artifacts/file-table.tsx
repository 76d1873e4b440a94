import { type ReactNode } from 'react';
import { bytesText, countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { SelectField } from '../../ui/field.js';
import { Filters } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { GroupButton, Inside, useOpenGroups } from '../../ui/rows/group-button.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { DeviceFilter } from '../jobs/device-filter.js';
import { fileGroups, type FileGroup, onlyGroup } from './file-groups.js';
import { ARTIFACT_KINDS, artifactKindTitle } from './kinds.js';
import { NoFiles } from './no-files.js';
import { useOtherFiles } from './other-files.js';
import { Usage } from './usage.js';
import styles from './artifacts.module.css';

type Artifact = Schema<'Artifact'>;

/** Stored files that jobs send to devices or read from them. Backups are here only where they are asked for. */
export function FileTable({ kind }: { kind: string }): ReactNode {
  const [{ device }, change] = useSearchText();
  const mayManage = useMay('artifact.manage');
  const isAny = kind === 'any';
  const others = useOtherFiles(device, isAny);
  const ofKind = useList('/v1/artifacts', {
    key: KEYS.artifacts.list,
    query: { kind, device },
    withDevices: true,
    enabled: !isAny,
  });
  const list = isAny ? others : ofKind;
  const found = isAny && device === undefined ? fileGroups(list.rows) : list.rows;
  const [open, toggle] = useOpenGroups(onlyGroup(found));
  const rows = linesOf(found, open);
  return (
    <>
      {isAny && (
        <p className="small quiet">
          What jobs send to routers or fetch from them, such as a certificate that a router has issued. Backups of
          devices are in{' '}
          <To to="/backups" search={{ tab: 'files' }}>
            Backups
          </To>
          , and what is known of certificates in{' '}
          <To to="/certificates" search={{ tab: 'expiring' }}>
            Certificates
          </To>
          .
        </p>
      )}
      <div className={`row spread ${styles['head']}`}>
        <Filters isNarrowed={!isAny || device !== undefined}>
          <SelectField
            label="Kind"
            value={kind}
            options={[['any', 'All but backups'], ...ARTIFACT_KINDS]}
            onChange={(event) => change({ kind: event.target.value, tab: 'files', pages: undefined })}
          />
          <DeviceFilter />
        </Filters>
        {mayManage && <Usage />}
      </div>
      <ListTable
        label="Stored files"
        list={{ ...list, rows }}
        columns={columnsOf({
          open,
          toggle,
          hasMore: list.hasMore,
          isOfDevices: list.rows.every(({ deviceId }) => deviceId !== null),
          isUsed: list.rows.some(({ openUses }) => openUses > 0),
          isMixed: rows.some((one) => !one.group && !one.isInside),
        })}
        rowKey={({ key }) => key}
        empty={
          device === undefined ? (
            <NoFiles kind={kind} />
          ) : (
            <Empty title="No such file of this device">Choose another device, or none.</Empty>
          )
        }
      />
    </>
  );
}

/** A row: a file, or those of a kind. */
interface Line {
  readonly key: string;
  readonly file: Artifact;
  readonly group: FileGroup | null;
  readonly isInside: boolean;
}

const lineOf = (file: Artifact, isInside = false): Line => ({ key: file.id, file, group: null, isInside });

const linesOf = (found: readonly (FileGroup | Artifact)[], open: ReadonlySet<string>): readonly Line[] =>
  found.flatMap((one) => {
    if (!('files' in one)) return [lineOf(one)];
    const head: Line = { key: `kind ${one.kind}`, file: one.files[0], group: one, isInside: false };
    return open.has(one.kind) ? [head, ...one.files.map((file) => lineOf(file, true))] : [head];
  });

interface Shown {
  /** Some rows do not stand below their kind. */
  isMixed: boolean;
  /** Each file was fetched from a device. */
  isOfDevices: boolean;
  /** A job needs one of them. */
  isUsed: boolean;
  open: ReadonlySet<string>;
  toggle: (kind: string) => void;
  hasMore: boolean;
}

const KIND: Column<Line> = {
  title: 'Kind',
  narrow: 'line',
  cell: ({ file: { kind }, group }) => !group && artifactKindTitle(kind),
};

const USED_BY: Column<Line> = {
  title: 'Used by',
  cell: ({ file, group }) => usesText(group?.files ?? [file]) || <span className="quiet">–</span>,
  brief: ({ file, group }) => usesText(group?.files ?? [file]),
};

const columnsOf = ({ open, toggle, hasMore, isMixed, isOfDevices, isUsed }: Shown): readonly Column<Line>[] => [
  {
    title: 'Name',
    cell: ({ file, group, isInside }) => {
      if (group)
        return (
          <GroupButton isOpen={open.has(group.kind)} what="its files" onToggle={() => toggle(group.kind)}>
            {amountText(group, hasMore)}
          </GroupButton>
        );
      return isInside ? <Inside>{<FileName of={file} />}</Inside> : <FileName of={file} />;
    },
  },
  ...(isMixed ? [KIND] : []),
  ...(isOfDevices && isMixed
    ? []
    : [
        {
          title: isOfDevices ? 'Devices' : 'About',
          cell: ({ file, group }: Line) => (group ? <OfGroup of={group} /> : <About of={file} />),
          brief: ({ file: { deviceId, version }, group }: Line) =>
            group ? <OfGroup of={group} /> : deviceId === null && version,
        },
      ]),
  {
    title: 'Size',
    narrow: 'line',
    cell: ({ file, group }) => bytesText(sumOf(group?.files ?? [file], ({ bytes }) => bytes)),
    isNumber: true,
  },
  ...(isUsed ? [USED_BY] : []),
  {
    title: 'Stored',
    narrow: 'line',
    cell: ({ file, group }) => (
      <span>
        {group && <span className="quiet">newest </span>}
        <Ago at={file.createdAt} />
      </span>
    ),
  },
  { title: '', cell: ({ file, group }) => !group && <FileActions of={file} /> },
];

const sumOf = (files: readonly Artifact[], of: (file: Artifact) => number): number =>
  files.reduce((sum, file) => sum + of(file), 0);

/** `by 2 open jobs`. Empty: by none. */
function usesText(files: readonly Artifact[]): string {
  const uses = sumOf(files, ({ openUses }) => openUses);
  return uses === 0 ? '' : countText(uses, 'open job');
}

const NOUNS: Readonly<Record<string, string>> = {
  firmware: 'firmware image',
  backup: 'backup',
  certificate: 'certificate',
  configuration: 'configuration',
};

/** `20 backups`; of a list that has more, those that were read. */
const amountText = ({ kind, files }: FileGroup, hasMore: boolean): string =>
  `${hasMore ? 'The newest ' : ''}${countText(files.length, NOUNS[kind] ?? 'file')}`;

/** Of how many devices they are. */
function OfGroup({ of: { files } }: { of: FileGroup }): ReactNode {
  const devices = new Set(files.flatMap(({ deviceId }) => deviceId ?? []));
  const [first] = devices;
  if (first === undefined) return <span className="quiet">–</span>;
  return devices.size === 1 ? <DeviceLink id={first} /> : `of ${countText(devices.size, 'device')}`;
}

function FileActions({ of: { id, kind, name } }: { of: Artifact }): ReactNode {
  return (
    <RowActions
      of={name}
      actions={[
        kind === 'firmware' && { text: 'Plan a rollout', to: '/rollouts/new', search: { artifact: id } },
        { text: 'Details', to: '/artifacts', search: { kind, tab: 'files', artifact: id } },
        { text: 'Download', href: ownPath(`/v1/artifacts/${id}/content`) },
      ]}
    />
  );
}

/** The version, the models and the signature of an image. */
function About({ of: { kind, isImage, version, models, deviceId, signedBy } }: { of: Artifact }): ReactNode {
  if (deviceId !== null) return <span className="quiet">–</span>;
  if (isImage === false) return <Mark tone="warn">Not an image</Mark>;
  if (kind !== 'firmware') return <span className="quiet">–</span>;
  return (
    <span className="row" title={signedBy ? `Signed by ${signedBy}` : undefined}>
      <span className="foreign cut" title={[version, ...models].join(', ')}>
        {version ?? '–'} <span className="quiet">{models.join(', ')}</span>
      </span>
      <Mark tone={signedBy ? 'set' : 'plain'}>{signedBy ? 'Signed' : 'Not signed'}</Mark>
    </span>
  );
}

/** Of a file that a device has issued, the device first: the names are the same on many devices. */
function FileName({ of }: { of: Artifact }): ReactNode {
  if (of.deviceId === null) return <NameLink artifact={of} />;
  return (
    <span className={`row ${styles['fileName']}`}>
      <DeviceLink id={of.deviceId} /> <span className="quiet">·</span> <NameLink artifact={of} />
    </span>
  );
}

function NameLink({ artifact: { id, name } }: { artifact: Artifact }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="/artifacts" search={{ ...search, artifact: id }} className="foreign cut" title={name}>
      {name}
    </To>
  );
}
