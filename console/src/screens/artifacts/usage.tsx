import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api } from '../../api/client.js';
import { bytesText } from '../../api/amount-text.js';
import { KEYS } from '../../api/keys/query-keys.js';
import styles from './artifacts.module.css';

/** How much of the space for files is used. Nothing is shown while it is not known: the list says why. */
export function Usage(): ReactNode {
  const { data } = useQuery({
    queryKey: KEYS.artifacts.usage,
    queryFn: ({ signal }) => api.get('/v1/artifacts/usage', { signal }),
  });
  if (!data) return null;
  const used = data.usedBytes + data.reservedBytes;
  const share = Math.min(100, (100 * used) / data.quotaBytes);
  return (
    <div className={`stack ${styles['usage']}`}>
      <div className="row spread small">
        <span>
          {bytesText(used)} of {bytesText(data.quotaBytes)} used
        </span>
        <span className="quiet">with backups; equal files are stored once</span>
        {share >= 90 && <span className="quiet">Delete what no job needs; a full store refuses backups.</span>}
      </div>
      <div
        className="bar"
        role="progressbar"
        aria-label="Used space"
        aria-valuenow={Math.round(share)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i data-tone={share >= 90 ? 'bad' : undefined} style={{ width: `${share}%` }} />
      </div>
    </div>
  );
}
