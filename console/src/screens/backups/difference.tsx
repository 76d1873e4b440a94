import { queryOptions, useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Failure, Loading, Notice } from '../../ui/messages.js';
import { exactText } from '../../ui/time.js';
import styles from './backups.module.css';

type Diff = Schema<'BackupDiff'>;

/** Two backups compared; a device stands for its newest one. */
const differenceQuery = (a: string, b: string) =>
  queryOptions({
    queryKey: KEYS.difference.one(a, b),
    queryFn: ({ signal }) => api.get('/v1/backups/diff', { params: { query: { a, b } }, signal }),
    staleTime: 60_000,
    refetchOnWindowFocus: false, // it reads both files completely
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
      {data.files.map((file) => (
        <File key={file.name} file={file} />
      ))}
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
    <dl className="facts small">
      <dt>− Before</dt>
      <dd className="foreign">
        <span title={a.name}>{exactText(a.createdAt)}</span>
      </dd>
      <dt>+ After</dt>
      <dd className="foreign">
        <span title={b.name}>{exactText(b.createdAt)}</span>
      </dd>
    </dl>
  );
}

function File({ file: { name, change, lines } }: { file: Diff['files'][number] }): ReactNode {
  return (
    <details className={styles['diffFile']} open>
      <summary>
        <code className="foreign">{name}</code> <span className="small quiet">{change}</span>
      </summary>
      {lines === null ? (
        <p className="small quiet">Its content is not shown: it may hold secrets, or is not text.</p>
      ) : (
        <pre className={`code ${styles['diff']}`} role="region" aria-label={`Changes of ${name}`} tabIndex={0}>
          {lines.map(({ is, text }, at) => (
            <span key={at} data-is={is}>
              {is === '+' ? '+' : '−'} {text}
              {'\n'}
            </span>
          ))}
        </pre>
      )}
    </details>
  );
}
