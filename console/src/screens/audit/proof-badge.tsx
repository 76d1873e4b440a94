import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { countText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { Ago } from '../../ui/time.js';

/** A verification is itself an entry of the log, so the last one is known without a store of its own. */
const LAST = { action: 'audit.verify', limit: 1 };

/** How far the log is signed, and when it was verified last, by any operator. */
export function ProofBadge(): ReactNode {
  const log = useQuery({ queryKey: ['audit', 'log'], queryFn: ({ signal }) => api.get('/v1/audit/log', { signal }) });
  const verified = useQuery({
    queryKey: ['audit', 'last verification'],
    queryFn: ({ signal }) => api.get('/v1/audit', { params: { query: LAST }, signal }),
  });
  const last = verified.data?.items[0];
  const { holds, leaves } = last?.facts ?? {};
  return (
    <span className="row small">
      {last && holds === true && (
        <Mark tone="good">
          <span>
            unaltered, checked <Ago at={last.openedAt} />: {countText(Number(leaves), 'line')}
          </span>
        </Mark>
      )}
      {last && holds === false && (
        <Mark tone="bad">
          <span>
            altered or incomplete, checked <Ago at={last.openedAt} />
          </span>
        </Mark>
      )}
      {verified.data && !last && <Mark tone="warn">not checked yet</Mark>}
      {log.data?.checkpoint && (
        <span className="quiet" title="What is signed cannot be changed without being noticed.">
          {countText(log.data.size, 'line')} signed, the last <Ago at={signedAt(log.data.checkpoint)} />
        </span>
      )}
    </span>
  );
}

/** The time in the text of a checkpoint; null where it has none. */
function signedAt(checkpoint: string): string | null {
  const line = checkpoint.split('\n').find((one) => one.startsWith('signed '));
  const at = line?.slice('signed '.length) ?? '';
  return Number.isNaN(Date.parse(at)) ? null : at;
}
