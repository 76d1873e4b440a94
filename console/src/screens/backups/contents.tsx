import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { Dialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { exactText } from '../../ui/time.js';
import { bytesText, countText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { useDeviceName } from '../../api/names/device-names.js';
import { ownPath } from '../../api/own-path.js';
import { pathTitle } from '../observed/path-words.js';
import { serviceOf } from './file-changes.js';
import { BackupLinks } from './stored/backup-links.js';
import styles from './backups.module.css';

type Contents = Schema<'BackupContents'>;

/** The files of a backup; settings open as text, without their secrets. */
export function BackupContents({ id, onClose }: { id: string; onClose: () => void }): ReactNode {
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.backupContents.one(id),
    queryFn: ({ signal }) => api.get('/v1/backups/contents', { params: { query: { backup: id } }, signal }),
    staleTime: Infinity, // a stored backup does not change
  });
  const device = useDeviceName(data?.deviceId ?? undefined);
  const title = ['Backup', device && `of ${device},`, data && `of ${exactText(data.createdAt)}`];
  return (
    <Dialog title={title.filter(Boolean).join(' ')} size="wide" onClose={onClose}>
      <div className="dialog-body">
        {error ? (
          <Failure error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <Files contents={data} />
        ) : (
          <Loading what="Reading the backup" />
        )}
        <EquivalentLines command={`backup contents ${id}`} method="GET" path={`/v1/backups/contents?backup=${id}`} />
      </div>
      {data && (
        <div className="dialog-foot">
          <a className="button" href={ownPath(`/v1/artifacts/${data.id}/content`)} download>
            Download
          </a>
          <BackupLinks of={data} isOpen />
        </div>
      )}
    </Dialog>
  );
}

function Files({ contents: { files, cut } }: { contents: Contents }): ReactNode {
  const settings = files.filter(({ lines }) => lines !== null);
  const others = files.filter(({ lines }) => lines === null);
  return (
    <>
      <h3>{countText(settings.length, 'file')} with settings</h3>
      <div className={styles['backupFiles']}>
        {settings.map(({ name, bytes, lines }) => (
          <details key={name} className={styles['diffFile']}>
            <summary>
              <FileName of={name} /> <span className="small quiet">{bytesText(bytes)}</span>
            </summary>
            <pre className="code wrap foreign" role="region" aria-label={`Content of ${name}`} tabIndex={0}>
              {lines?.join('\n')}
            </pre>
          </details>
        ))}
      </div>
      {cut && (
        <Notice tone="warn">
          <span>There is more than this. Download the backup to see all of it.</span>
        </Notice>
      )}
      {others.length > 0 && (
        <>
          <h3>{countText(others.length, 'other file')}</h3>
          <p className="small quiet">Their content is not shown: it may hold secrets, or is not text.</p>
          <ul className="small">
            {others.map(({ name, bytes }) => (
              <li key={name}>
                <code className="foreign">{name}</code> <span className="quiet">{bytesText(bytes)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p className="small quiet">Secrets are hidden; each has a fingerprint in its place.</p>
    </>
  );
}

/** A file of settings by the words of its service, and where it is on the device; another one by its path. */
function FileName({ of: name }: { of: string }): ReactNode {
  const service = serviceOf(name);
  if (service === name) return <code className="foreign">{name}</code>;
  return (
    <>
      {pathTitle(`/api/${service}`)} <code className="foreign small quiet">{name}</code>
    </>
  );
}
