import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { countText, numberText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Dialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Failure, Notice } from '../../ui/messages.js';
import { Facts } from '../../ui/page.js';
import { DocLink, To } from '../../ui/to.js';

type Line = Schema<'AuditVerifyLine'>;
type Finding = Extract<Line, { type: 'finding' }>;

interface Progress {
  readonly leaves: number;
  readonly of: number;
  readonly findings: readonly Finding[];
  /** More findings than are shown. */
  readonly more: number;
  readonly summary: Extract<Line, { type: 'summary' }> | null;
}

const FINDINGS_SHOWN = 100;

const NOTHING: Progress = { leaves: 0, of: 0, findings: [], more: 0, summary: null };

function take(progress: Progress, line: Line): Progress {
  if (line.type === 'summary') return { ...progress, summary: line };
  if (line.type === 'progress') return { ...progress, leaves: line.leaves, of: line.of };
  if (progress.findings.length >= FINDINGS_SHOWN) return { ...progress, more: progress.more + 1 };
  return { ...progress, findings: [...progress.findings, line] };
}

/** Verifies the complete log while it is open, and names what is wrong. */
export function VerifyDialog({ onClose }: { onClose: () => void }): ReactNode {
  const client = useQueryClient();
  const [progress, setProgress] = useState(NOTHING);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    const end = new AbortController();
    void (async () => {
      try {
        for await (const line of api.lines('post', '/v1/audit/verify', { body: {}, signal: end.signal }))
          setProgress((before) => take(before, line));
        await client.invalidateQueries({ queryKey: KEYS.audit.all });
      } catch (refusal) {
        if (!end.signal.aborted) setError(refusal);
      }
    })();
    return () => end.abort();
  }, [client]);
  return (
    <Dialog title="Verify the audit" size="wide" onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <Failure error={error} />}
        {error === null && <Bar progress={progress} />}
        <Findings progress={progress} />
        {progress.summary && <Summary summary={progress.summary} />}
        <EquivalentLines command="audit verify" method="POST" path="/v1/audit/verify" body={{}} />
      </div>
    </Dialog>
  );
}

function Bar({ progress: { leaves, of, summary } }: { progress: Progress }): ReactNode {
  if (summary) {
    return summary.holds ? (
      <Notice tone="good">
        <strong>
          {summary.leaves === 1 ? 'The one line is' : `All ${countText(summary.leaves, 'line')} are`} there and
          unaltered.
        </strong>
        <span>Each entry is a line, and each outcome.</span>
      </Notice>
    ) : (
      <Notice tone="bad">
        <strong>The log is not correct.</strong> {countText(summary.findings, 'finding')}. Keep the database as it is,
        and <DocLink of="howto/verify-the-audit">compare it with the witness or a backup</DocLink>.
      </Notice>
    );
  }
  const percent = of === 0 ? 0 : Math.round((leaves / of) * 100);
  return (
    <div className="stack">
      <p role="status">{of === 0 ? 'Starting …' : `${numberText(leaves)} of ${countText(of, 'line')}`}</p>
      <div className="bar" role="progressbar" aria-label="Checked lines" aria-valuenow={percent}>
        <i style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}

function Findings({ progress: { findings, more } }: { progress: Progress }): ReactNode {
  if (findings.length === 0) return null;
  return (
    <ul className="stack" aria-label="Findings">
      {findings.map(({ kind, what, sequence, row }, at) => (
        <li key={at} className="foreign">
          <strong>{what}</strong> <code>{kind}</code>
          {sequence !== null && <span className="quiet"> at place {sequence}</span>}
          {row?.kind === 'entry' && (
            <>
              {' '}
              <To to="/audit" search={{ entry: row.id }}>
                Open the entry
              </To>
            </>
          )}
        </li>
      ))}
      {more > 0 && <li className="quiet">and {more} more; the command line prints all of them</li>}
    </ul>
  );
}

function Summary({ summary }: { summary: NonNullable<Progress['summary']> }): ReactNode {
  const { leaves, entries, outcomes, archived, pending, checkpoints, root, ms } = summary;
  return (
    <Facts
      of={[
        ['Lines of the log', numberText(leaves)],
        ['Entries and outcomes', `${numberText(entries)} and ${numberText(outcomes)}`],
        ['Archived lines', numberText(archived)],
        ['Not yet in the log', `${pending}${pending > 0 ? ' (normal: rows of the last moments)' : ''}`],
        ['Signatures', numberText(checkpoints)],
        ['Fingerprint of it all', <code key="root">{root}</code>],
        ['Duration', `${(ms / 1_000).toFixed(1)} s`],
      ]}
    />
  );
}
