import { type ReactNode } from 'react';
import { Empty, Notice } from '../../ui/messages.js';
import { useSearchText } from '../../ui/to.js';
import { EntryTable } from './entry-table.js';
import { useEntries } from './use-entries.js';

/** Filters that ask for entries of one work: they stand alone. */
const SINGLE = ['jobId', 'operation', 'requestId', 'action', 'outcome'] as const;

/** The entries, those of one job, rollout or fan-out as one row that opens to them. */
export function EntryList(): ReactNode {
  const [search] = useSearchText();
  const { list, unknownDevice, isNarrowed } = useEntries();
  const isJoined = search['each'] !== 'yes' && SINGLE.every((name) => !search[name]);
  if (unknownDevice) return <Notice tone="warn">No device of that name. Type its complete name, or its id.</Notice>;
  return (
    <EntryTable label="Audit entries" list={list} isJoined={isJoined} empty={<NoEntries isNarrowed={isNarrowed} />} />
  );
}

function NoEntries({ isNarrowed }: { isNarrowed: boolean }): ReactNode {
  if (isNarrowed) return <Empty title="No entry matches these filters">Choose others, or clear them.</Empty>;
  return (
    <Empty title="No entries yet" command="fleetgate audit follow">
      Each change, and each read of something secret, is an entry here: written before its effect, closed after it.
    </Empty>
  );
}
