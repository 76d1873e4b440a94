import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { Mark } from '../../ui/mark.js';
import { useNow } from '../../ui/time.js';
import { lastVerificationQuery, logQuery } from './proof-queries.js';
import { proofText, shortProofText } from './proof-text.js';

/** Whether the log is as it was written, as far as it was verified, by any operator. @param isShort in a line that never wraps */
export function ProofBadge({ isShort = false }: { isShort?: boolean }): ReactNode {
  const now = useNow();
  const log = useQuery(logQuery);
  const verified = useQuery(lastVerificationQuery);
  if (!verified.data) return <span className="small quiet">…</span>;
  const last = verified.data.items[0];
  if (!last) return <Mark tone="warn">Not checked yet</Mark>;
  const { holds, leaves } = last.facts;
  // A verification that still runs, or was cut off, has found nothing yet.
  if (typeof holds !== 'boolean') return <Mark tone="busy">Being checked</Mark>;
  const proof = { at: last.openedAt, holds, lines: Number(leaves) };
  const signed = log.data?.checkpoint ? log.data.size : null;
  const text = proofText(proof, signed, now);
  return (
    <span
      className={isShort ? 'cut' : 'small'}
      title={`${text}. What is signed cannot be changed without being noticed.`}
    >
      <Mark tone={holds ? 'good' : 'bad'}>
        <span>{isShort ? shortProofText(proof, signed) : text}</span>
      </Mark>
    </span>
  );
}
