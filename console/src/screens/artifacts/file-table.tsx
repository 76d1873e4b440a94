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
import { RowActions } from '../../ui/rows/row-actions.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { ARTIFACT_KINDS, artifactKindTitle } from './kinds.js';
import { Usage } from './usage.js';
import styles from './artifacts.module.css';

type Artifact = Schema<'Artifact'>;

/** Stored files of all kinds: everything that jobs send to devices or read from them. */
export function FileTable({ kind }: { kind: string }): ReactNode {
  const [, change] = useSearchText();
  const mayManage = useMay('artifact.manage');
  const query = { kind: kind === 'any' ? undefined : kind };
  const list = useList('/v1/artifacts', { key: KEYS.artifacts.list, query, withDevices: true });
  return (
    <>
      <div className={`row spread ${styles['head']}`}>
        <Filters>
          <SelectField
            label="Kind"
            value={kind}
            options={[['any', 'Any kind'], ...ARTIFACT_KINDS]}
            onChange={(event) => change({ kind: event.target.value, tab: 'files', pages: undefined })}
          />
        </Filters>
        {mayManage && <Usage />}
      </div>
      <ListTable
        label="Stored files"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={<NoFiles kind={kind} />}
      />
    </>
  );
}

const COLUMNS: readonly Column<Artifact>[] = [
  { title: 'Name', cell: (artifact) => <NameLink artifact={artifact} /> },
  { title: 'Kind', cell: ({ kind }) => artifactKindTitle(kind) },
  { title: 'About', cell: (artifact) => <About of={artifact} /> },
  { title: 'Size', cell: ({ bytes }) => bytesText(bytes), isNumber: true },
  { title: 'Signature', cell: (artifact) => <Signature artifact={artifact} /> },
  {
    title: 'In use',
    cell: ({ openUses }) =>
      openUses === 0 ? <span className="quiet">–</span> : `by ${countText(openUses, 'open job')}`,
  },
  { title: 'Stored', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: '',
    cell: ({ id, kind, name }) => (
      <RowActions
        of={name}
        actions={[
          kind === 'firmware' && { text: 'Plan a rollout', to: '/rollouts/new', search: { artifact: id } },
          { text: 'Details', to: '/artifacts', search: { kind, tab: 'files', artifact: id } },
          { text: 'Download', href: ownPath(`/v1/artifacts/${id}/content`) },
        ]}
      />
    ),
  },
];

/** The version and the models of an image; the device that a backup is of. */
function About({ of: { kind, isImage, version, models, deviceId } }: { of: Artifact }): ReactNode {
  if (deviceId !== null) return <DeviceLink id={deviceId} />;
  if (isImage === false) return <Mark tone="warn">Not an image</Mark>;
  if (kind !== 'firmware') return <span className="quiet">–</span>;
  return (
    <span className="foreign cut" title={[version, ...models].join(', ')}>
      {version ?? '–'} <span className="quiet">{models.join(', ')}</span>
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

function Signature({ artifact: { signedBy, kind } }: { artifact: Artifact }): ReactNode {
  if (signedBy)
    return (
      <span className="foreign cut" title={signedBy}>
        <Mark tone="good">{signedBy}</Mark>
      </span>
    );
  return kind === 'firmware' ? <Mark tone="warn">Not signed</Mark> : <span className="quiet">–</span>;
}

function NoFiles({ kind }: { kind: string }): ReactNode {
  if (kind === 'backup')
    return (
      <Empty title="No backups yet" command="fleetgate job start pump-1 backup --watch">
        Backups of devices are stored here by their jobs.
      </Empty>
    );
  if (kind === 'any')
    return (
      <Empty title="No files yet" command="fleetgate firmware upload RUTX_R_00.07.25.3.bin">
        Upload a firmware, then roll it out. Backups of devices are stored here by their jobs.
      </Empty>
    );
  if (kind !== 'firmware')
    return (
      <Empty title="No such files yet" command={`fleetgate artifact upload ca.pem --kind ${kind}`}>
        Upload one; a job of the kind “Upload” brings it to a device.
      </Empty>
    );
  return (
    <Empty title="No firmware yet" command="fleetgate firmware upload RUTX_R_00.07.25.3.bin">
      Upload an image. Its version and models are read from it, and its digest is checked at each use.
    </Empty>
  );
}
