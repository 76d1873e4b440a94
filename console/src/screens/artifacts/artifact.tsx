import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { ownPath } from '../../api/own-path.js';
import { Button } from '../../ui/button.js';
import { Confirm } from '../../ui/confirm.js';
import { CopyButton } from '../../ui/copy.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { Dialog } from '../../ui/dialog.js';
import { Mark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { bytesText } from '../../api/amount-text.js';
import { BackupLinks } from '../backups/stored/backup-links.js';
import { artifactQuery } from './artifact-query.js';
import { artifactKindTitle } from './kinds.js';
import { WhereUsed } from './where-used.js';
import { AwaitedCards } from '../../ui/rows/awaited.js';

type ArtifactWithUses = Schema<'ArtifactWithUses'>;

/** One stored file: what it is, who signed it, and which jobs use it. */
export function ArtifactDialog({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const mayManage = useMay('artifact.manage');
  const [isDelete, setDelete] = useState(false);
  const { data, error, refetch } = useQuery(artifactQuery(id));
  if (data && isDelete) return <DeleteArtifact artifact={data} onClose={() => setDelete(false)} onDeleted={onClose} />;
  return (
    <Dialog title={data?.name ?? 'File'} size="wide" onClose={onClose}>
      <div className="dialog-body">
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <AwaitedCards />
        ) : (
          <About of={data} />
        )}
      </div>
      <div className="dialog-foot">
        {data && mayManage && (
          <Button
            kind="danger"
            disabled={data.openUses > 0}
            title={data.openUses > 0 ? 'Open jobs need it' : undefined}
            onClick={() => setDelete(true)}
          >
            Delete
          </Button>
        )}
        <a className="button" href={ownPath(`/v1/artifacts/${id}/content`)} download>
          Download
        </a>
        {data?.kind === 'backup' && <BackupLinks of={data} />}
        {data?.kind === 'firmware' && (
          <To to="/rollouts/new" search={{ artifact: id }} className="button" data-kind="primary">
            Plan a rollout
          </To>
        )}
      </div>
    </Dialog>
  );
}

function About({ of }: { of: ArtifactWithUses }): ReactNode {
  return (
    <>
      <Facts
        of={[
          ['Kind', artifactKindTitle(of.kind)],
          ['Size', `${bytesText(of.bytes)} (${of.bytes.toLocaleString('en')} bytes)`],
          [
            'SHA-256',
            <span key="digest" className="row">
              <code>{of.sha256}</code>
              <CopyButton text={of.sha256} label="Copy the digest" />
            </span>,
          ],
          [
            'Signature',
            of.signedBy ? (
              <Mark key="signature" tone="set">{`Signed by ${of.signedBy}`}</Mark>
            ) : (
              'none; see “Sign artifacts” in the documents'
            ),
          ],
          ...(of.kind === 'firmware'
            ? ([
                ['Image', of.isImage === false ? 'not recognised: devices will probably refuse it' : null],
                ['Version', of.version],
                ['Models', of.models.join(', ') || 'not known'],
                ['Hardware', of.hardware.join(', ') || 'any'],
                ['Needs at least', of.minimumVersion ?? 'any version'],
              ] as const)
            : []),
          ...(of.deviceId ? ([['Device', <DeviceLink key="device" id={of.deviceId} />]] as const) : []),
          ...(of.jobId
            ? ([
                [
                  'Made by',
                  <To key="job" to={`/jobs/${of.jobId}`}>
                    a job
                  </To>,
                ],
              ] as const)
            : []),
          ['Stored by', of.createdByName],
          ['Stored', <Ago key="stored" at={of.createdAt} />],
          ['Id', <code key="id">{of.id}</code>],
        ]}
      />
      <WhereUsed artifact={of} />
    </>
  );
}

function DeleteArtifact({
  artifact: { id, name, kind },
  onClose,
  onDeleted,
}: {
  artifact: ArtifactWithUses;
  onClose: () => void;
  onDeleted: () => void;
}): ReactNode {
  const remove = useAction({
    run: () => api.delete('/v1/artifacts/{artifactId}', { params: { path: { artifactId: id } } }),
    done: 'File deleted',
    refreshes: kind === 'backup' ? ['artifacts', 'backups'] : ['artifacts'],
    after: onDeleted,
  });
  return (
    <Confirm
      title="Delete this file"
      send="Delete"
      typed={name}
      busy={remove.isPending}
      equivalent={{ command: `artifact remove ${id} --yes`, method: 'DELETE', path: `/v1/artifacts/${id}` }}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      Its bytes are removed for good. Jobs that used it keep their log; drafts of rollouts that name it cannot start.
    </Confirm>
  );
}
