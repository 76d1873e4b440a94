import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { nearestOf } from '../../../../src/api-client/problem-words.js';
import { summaryQuery } from '../../api/queries.js';
import { Button } from '../../ui/button.js';
import { Empty } from '../../ui/messages.js';
import { useSearchText } from '../../ui/to.js';
import { chosenOf, termOf, valueOf, withTerm } from './selector-text.js';

/** Why no device is shown, with the way back. */
export function NoMatch(): ReactNode {
  const [{ q, selector = '' }, change] = useSearchText();
  const unknown = useUnknownTag(selector);
  const clear = <Button onClick={() => change({ q: undefined, selector: undefined })}>Clear the filters</Button>;
  if (unknown) {
    const { tag, nearest } = unknown;
    const other = nearest && withTerm(withTerm(selector, termOf('tag', tag)), termOf('tag', nearest));
    return (
      <div className="card">
        <Empty title={`No device has the tag “${tag}”`} action={clear}>
          {other && (
            <>
              Did you mean{' '}
              <Button kind="link" onClick={() => change({ selector: other })}>
                {nearest}
              </Button>
              ?
            </>
          )}
        </Empty>
      </div>
    );
  }
  return (
    <div className="card">
      <Empty title="No device matches" action={clear}>
        {q && <>No name, serial number, MAC address or site has “{q}”</>}
        {q && selector && ', of those that '}
        {!q && 'Nothing is '}
        {selector && <code className="foreign">{selector}</code>}
        {q && selector && ' names'}.
      </Empty>
    </div>
  );
}

/** A chosen tag that no device of the fleet has, and the one that may be meant; null: there is none, or it is not known yet. */
function useUnknownTag(selector: string): { tag: string; nearest: string | null } | null {
  const chosen = chosenOf(selector, 'tag').flatMap((term) => valueOf(term) ?? []);
  const { data } = useQuery({ ...summaryQuery({ by: 'tag' }), enabled: chosen.length > 0 });
  const [group] = data?.groups ?? [];
  if (!group || group.others > 0) return null;
  const tags = group.values.flatMap(({ value }) => value ?? []);
  const tag = chosen.find((one) => !tags.includes(one));
  return tag === undefined ? null : { tag, nearest: nearestOf(tag, tags) };
}
