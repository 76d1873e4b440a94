import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { exactText } from '../../ui/time.js';
import { CHANGED, SideBySide } from '../../ui/sides/side-by-side.js';
import styles from './backups.module.css';
import { fileChanges, serviceOf } from './file-changes.js';
import { pathTitle } from '../observed/path-words.js';

type Diff = Schema<'BackupDiff'>;

/** Two backups compared; a device stands for its newest one. */
export const differenceQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: KEYS.difference.one(a, b),
    queryFn: ({ signal }) => api.get('/v1/backups/diff', { params: { query: { a, b } }, signal }),
    staleTime: Infinity, // stored files stay as they are, and it reads both completely
  });

interface DifferenceProps {
  a: string;
  b: string;
  /** The times of both stand above it already. */
  isDated?: boolean;
}

/** The difference of two backups, file by file. */
export function Difference({ a, b, isDated = false }: DifferenceProps): ReactNode {
  const { data, error, refetch } = useQuery(differenceQuery(a, b));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading what="Reading both backups" />;
  return (
    <div className="stack">
      {!isDated && <Sides diff={data} />}
      {data.same && (
        <Notice tone="good">
          <strong>Both have the same settings.</strong>
          <span>Their files may differ by some bytes: each holds the time at which it was made.</span>
        </Notice>
      )}
      {data.files.filter(isShown).map((file) => (
        <File key={file.name} file={file} />
      ))}
      <OtherFiles files={data.files.filter((file) => !isShown(file))} />
      {data.cut && (
        <Notice tone="warn">
          <span>The difference is longer than this. Download both backups to see all of it.</span>
        </Notice>
      )}
      {!data.same && (
        <p className="small quiet">Secrets are hidden; a changed one has another fingerprint in its place.</p>
      )}
    </div>
  );
}

function Sides({ diff: { a, b } }: { diff: Diff }): ReactNode {
  return (
    <p className="small quiet">
      Before: <span title={a.name}>{exactText(a.createdAt)}</span> · After:{' '}
      <span title={b.name}>{exactText(b.createdAt)}</span>
    </p>
  );
}

type File = Diff['files'][number];

const CHANGES: Readonly<Record<File['change'], string>> = {
  added: 'only after',
  removed: 'only before',
  changed: 'changed',
};

const isShown = ({ lines }: File): boolean => lines !== null && lines.length > 0;

function File({ file: { name, change, lines } }: { file: File }): ReactNode {
  const changes = fileChanges(name, lines ?? []);
  return (
    <section className={`card ${styles['diffFile']}`} aria-label={`Changes of ${name}`}>
      <h3 title={name}>
        {pathTitle(`/api/${serviceOf(name)}`)}{' '}
        <span className="small quiet">{change !== 'changed' && CHANGES[change]}</span>
      </h3>
      {changes.length > 0 && <SideBySide heads={CHANGED} lines={changes} shown={changes.length} />}
      <details>
        <summary className="small quiet">Lines of the file</summary>
        <pre className={`code ${styles['diff']}`} role="region" aria-label={`Lines of ${name}`} tabIndex={0}>
          {lines?.map(({ is, text }, at) => (
            <span key={at} data-is={is}>
              {is === '+' ? '+' : '−'} {text}
              {'\n'}
            </span>
          ))}
        </pre>
      </details>
    </section>
  );
}

/** Keys, certificates and binaries by their names alone. */
function OtherFiles({ files }: { files: readonly File[] }): ReactNode {
  if (files.length === 0) return null;
  return (
    <section className={`card ${styles['diffFile']}`} aria-label="Other files that differ">
      <h3>
        Other files{' '}
        <span className="small quiet">Their content is not shown: it may hold secrets, or is not text.</span>
      </h3>
      <ul className={styles['otherFiles']}>
        {files.map(({ name, change }) => (
          <li key={name}>
            <code className="foreign">{name}</code> <span className="small quiet">{CHANGES[change]}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
