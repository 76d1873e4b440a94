import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../../api/action.js';
import { countText } from '../../../api/amount-text.js';
import { api } from '../../../api/client.js';
import { isRefused } from '../../../api/problems.js';
import { Button } from '../../../ui/button.js';
import { watchesQuery } from '../../observed/place.js';

/** A selector of so many ids stays far below the longest that a gateway takes. */
const NAMED_MAX = 40;

interface UnreadProps {
  /** Of the preview, or of what makes the draft. */
  error: unknown;
  /** Whose settings are copied. */
  from: string;
  paths: readonly string[];
  onFrom: (from: string) => void;
}

/** What can be done where no watch has read some of the devices yet: go on without them, or have them read. */
export function UnreadDevices({ error, from, paths, onFrom }: UnreadProps): ReactNode {
  const { data } = useQuery(watchesQuery);
  const ids = isRefused(error, 'adoption_impossible') ? idsIn(error.problem['unreadIds']) : [];
  const watches = (data?.items ?? []).filter((watch) => watch.paths.some((path) => paths.includes(path)));
  const selector = ids.map((id) => `id=${id}`).join(' | ');
  const read = useAction({
    run: () =>
      Promise.all(
        watches.map(({ name }) =>
          api.post('/v1/watches/{watchName}/run', { params: { path: { watchName: name } }, body: { selector } }),
        ),
      ),
    done: () => `${countText(ids.length, 'device')} will be read as soon as the load allows: preview again then`,
    refreshes: ['watches', 'observed'],
  });
  if (ids.length === 0 || ids.length > NAMED_MAX) return null;
  const count = countText(ids.length, 'device');
  return (
    <div className="row">
      <Button onClick={() => onFrom(`(${from}) & !(${selector})`)}>Leave out {count}</Button>
      {watches.length > 0 && (
        <Button busy={read.isPending} onClick={() => read.mutate()}>
          Read {ids.length === 1 ? 'it' : 'them'} now
        </Button>
      )}
    </div>
  );
}

const idsIn = (fact: unknown): readonly string[] =>
  Array.isArray(fact) ? fact.filter((one) => typeof one === 'string') : [];
