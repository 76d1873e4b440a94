import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { To } from '../../../ui/to.js';
import { before, changeOf, isChanged } from '../backup-runs.js';
import { differenceQuery } from '../difference.js';
import { countedText } from './counted-text.js';

type Backup = Schema<'Artifact'>;

const TEXTS = {
  'same settings': 'No change',
  'same file': 'No change',
  'settings changed': 'Settings changed',
  'another file': 'Another file',
} as const;

/** Both files are read for it: of more rows the text says only that there is a change. */
const COUNTED = 8;

/** How it compares with the one before it of the same device, and the way to what differs. @param rows newest first */
export function Change({ of, rows }: { of: Backup; rows: readonly Backup[] }): ReactNode {
  const change = changeOf(of, rows);
  const older = before(of, rows);
  if (of.deviceId === null) return <span className="quiet">–</span>;
  if (change === null) return <span className="quiet">{older ? 'Not compared yet' : 'The first that is known'}</span>;
  if (!older || !isChanged(of, rows)) return <span className="quiet">{TEXTS[change]}</span>;
  const place = rows.filter((one) => isChanged(one, rows)).indexOf(of);
  return (
    <To to="/backups" search={{ tab: 'compare', device: of.deviceId, a: older.id, b: of.id }}>
      {place < COUNTED ? <Counted a={older.id} b={of.id} otherwise={TEXTS[change]} /> : TEXTS[change]}
    </To>
  );
}

function Counted({ a, b, otherwise }: { a: string; b: string; otherwise: string }): string {
  const { data } = useQuery(differenceQuery(a, b));
  return data ? countedText(data) || otherwise : otherwise;
}
