import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { SelectField } from '../../ui/field.js';
import { Filters } from '../../ui/filters.js';
import { type Column, ListTable } from '../../ui/list-table.js';
import { Mark } from '../../ui/mark.js';
import { Empty } from '../../ui/messages.js';
import { Page } from '../../ui/page.js';
import { RowMenu } from '../../ui/row-menu.js';
import { Ago } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { ArtifactDialog } from './artifact.js';
import { bytesText } from '../../api/amount-text.js';
import { ARTIFACT_KINDS, artifactKindTitle } from './kinds.js';
import { UploadDialog } from './upload.js';
import { Usage } from './usage.js';

type Artifact = Schema<'Artifact'>;

/** Stored files: firmware first, then everything else that jobs send to devices or read from them. */
export function Artifacts(): ReactNode {
  const [{ kind = 'firmware', artifact }, change] = useSearchText();
  const mayManage = useMay('artifact.manage');
  const [isUpload, setUpload] = useState(false);
  const query = { kind: kind === 'any' ? undefined : kind };
  const list = useList('/v1/artifacts', { key: ['artifacts', 'list'], query });
  const upload = mayManage && (
    <Button kind="primary" icon="plus" onClick={() => setUpload(true)}>
      Upload a file
    </Button>
  );
  return (
    <Page title="Firmware and files" actions={upload}>
      {mayManage && <Usage />}
      <Filters>
        <SelectField
          label="Kind"
          value={kind}
          options={[...ARTIFACT_KINDS, ['any', 'All kinds']]}
          onChange={(event) => change({ kind: event.target.value, pages: undefined })}
        />
      </Filters>
      <ListTable
        label="Stored files"
        list={list}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        empty={<NoFiles kind={kind} />}
      />
      {isUpload && <UploadDialog onClose={() => setUpload(false)} />}
      {artifact && <ArtifactDialog id={artifact} onClose={() => change({ artifact: undefined })} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Artifact>[] = [
  { title: 'Name', cell: (artifact) => <NameLink artifact={artifact} /> },
  { title: 'Kind', cell: ({ kind }) => artifactKindTitle(kind) },
  {
    title: 'Version',
    cell: ({ version, isImage }) =>
      isImage === false ? <Mark tone="warn">Not an image</Mark> : <span className="foreign">{version ?? '–'}</span>,
  },
  {
    title: 'Models',
    cell: ({ models }) => (
      <span className="foreign cut quiet" title={models.join(', ')}>
        {models.join(', ') || '–'}
      </span>
    ),
  },
  { title: 'Size', cell: ({ bytes }) => bytesText(bytes), isNumber: true },
  { title: 'Signature', cell: (artifact) => <Signature artifact={artifact} /> },
  {
    title: 'In use',
    cell: ({ openUses }) => (openUses === 0 ? <span className="quiet">no</span> : `by ${openUses} open jobs`),
  },
  { title: 'Stored', cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    title: '',
    cell: ({ id, kind, name }) => (
      <span className="row end">
        {kind === 'firmware' && (
          <To to="/rollouts/new" search={{ artifact: id }} className="button">
            Start rollout
          </To>
        )}
        <RowMenu
          of={name}
          actions={[
            { text: 'Details', to: '/artifacts', search: { kind, artifact: id } },
            { text: 'Download', href: ownPath(`/v1/artifacts/${id}/content`) },
          ]}
        />
      </span>
    ),
  },
];

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
  if (kind !== 'firmware')
    return (
      <Empty
        title="No such files yet"
        command={`fleetgate artifact upload ca.pem --kind ${kind === 'any' ? 'certificate' : kind}`}
      >
        Upload one; a job of the kind “Upload” brings it to a device.
      </Empty>
    );
  return (
    <Empty title="No firmware yet" command="fleetgate firmware upload RUTX_R_00.07.25.3.bin">
      Upload an image. Its version and models are read from it, and its digest is checked at each use.
    </Empty>
  );
}
