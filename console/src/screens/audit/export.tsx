import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText } from '../../api/amount-text.js';
import { api } from '../../api/client.js';
import { sentence } from '../../api/device-texts.js';
import { shellWord } from '../../api/equivalents.js';
import { FormDialog } from '../../ui/dialog.js';
import { EquivalentLines } from '../../ui/equivalent-lines.js';
import { Facts } from '../../ui/page.js';
import { saveFile } from '../../api/save-file.js';
import { useNow } from '../../ui/time.js';
import { DocLink } from '../../ui/to.js';
import { useEntries } from './use-entries.js';
import { useFilters } from './use-filters.js';

/** The filters that an export takes, with their flags. */
const FLAGS = {
  who: null,
  actor: '--actor',
  action: '--action',
  deviceId: null,
  selector: '-l',
  jobId: null,
  operation: null,
  since: '--since',
  until: '--until',
} as const;

/** The filters of the list that an export does not take, in words. */
const LEFT_OUT = { only: 'changes only', outcome: 'outcomes', requestId: 'requests' } as const;

const names = Object.keys(FLAGS) as (keyof typeof FLAGS)[];

/** Downloads entries with their proof. */
export function ExportDialog({ onClose }: { onClose: () => void }): ReactNode {
  const { query } = useFilters();
  const chosen = names.flatMap((name) => (query[name] ? [[name, query[name]] as const] : []));
  const body = Object.fromEntries(chosen);
  const leftOut = Object.entries(LEFT_OUT).flatMap(([name, what]) => (query[name] ? [what] : []));
  const fileName = `audit-${new Date(useNow()).toISOString().slice(0, 10)}.ndjson`;
  const download = useAction({
    run: async () => saveFile(fileName, await api.stream('post', '/v1/audit/export', { body })),
    done: `Saved ${fileName}`,
    refreshes: ['audit'],
    after: onClose,
  });
  const flags = chosen.flatMap(([name, value]) => (FLAGS[name] ? [FLAGS[name], shellWord(value)] : []));
  const hasCommand = chosen.every(([name]) => FLAGS[name] !== null);
  return (
    <FormDialog
      title="Export the audit"
      send="Download"
      busy={download.isPending}
      onSend={() => download.mutate()}
      onClose={onClose}
    >
      <p className="quiet">
        One file with the entries that the filters choose, each with its proof.{' '}
        <DocLink of="verify-export.sh">A script</DocLink> checks it without the gateway. The export is an entry of the
        log itself.
      </p>
      {chosen.length > 0 && <Facts of={chosen} />}
      {leftOut.length > 0 ? (
        <p className="quiet">
          An export takes no filter of {leftOut.join(' or ')}: it has the entries that they hide, too.
        </p>
      ) : (
        <HowMany isAll={chosen.length === 0} />
      )}
      <EquivalentLines
        {...(hasCommand ? { command: ['audit export --to', fileName, ...flags].join(' ') } : {})}
        method="POST"
        path="/v1/audit/export"
        body={body}
      />
    </FormDialog>
  );
}

/** How many entries the file gets, as far as the list behind the dialog was read. */
function HowMany({ isAll }: { isAll: boolean }): ReactNode {
  const { list } = useEntries();
  if (list.isLoading || list.error) return null;
  const count = countText(list.rows.length, 'entry', 'entries');
  const text = list.hasMore ? `more than ${count}` : count;
  return <p>{isAll ? `The whole log: ${text}` : sentence(text)}.</p>;
}
