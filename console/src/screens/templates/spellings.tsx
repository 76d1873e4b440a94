import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { useAction } from '../../api/action.js';
import { countText, pluralText } from '../../api/amount-text.js';
import { api, type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { withSpelling } from './draft-difference.js';
import { type DriftGroup, driftGroups } from './drift-groups.js';
import { differenceWords } from './item-words.js';
import { spellingsQuery } from './template-queries.js';
import changes from '../../ui/rows/changes.module.css';

type Template = Schema<'Template'>;

const SHOWN = 10;

/** What devices write in their own way: equal in meaning, so nothing is changed. Without any, nothing is shown. */
export function Spellings({ template }: { template: Template }): ReactNode {
  const { data } = useQuery(spellingsQuery(template.name));
  const take = useTake(template);
  const mayEdit = useMay('template.edit') && template.selector !== null;
  const groups = driftGroups(data?.rows ?? [], ({ is }) => is === 'normalised');
  if (groups.length === 0) return null;
  return (
    <details className="card">
      <summary>{countText(groups.length, 'value')} in another spelling, left as they are</summary>
      <ul className={changes['changes']}>
        {groups.slice(0, SHOWN).map((group) => (
          <Spelling
            key={group.id}
            group={group}
            onTake={
              mayEdit && withSpelling(template.items, group.difference) ? () => take.mutate(group.difference) : null
            }
          />
        ))}
      </ul>
    </details>
  );
}

function Spelling({ group, onTake }: { group: DriftGroup; onTake: (() => void) | null }): ReactNode {
  const { what, seen, wanted } = differenceWords(group.difference);
  const count = group.devices.length;
  return (
    <li>
      <span className="foreign">{what}</span>: {countText(count, 'device')} {pluralText(count, 'writes', 'write')}{' '}
      <strong className="foreign">{seen}</strong> for <span className="foreign">{wanted}</span>.{' '}
      {onTake && (
        <Button kind="link" onClick={onTake}>
          Take <span className="foreign">{seen}</span> into the draft
        </Button>
      )}
    </li>
  );
}

/** Saves the draft, as it is now, with the spelling of the devices. */
function useTake({ name, selector }: Template) {
  const path = { templateName: name };
  const address = '/v1/templates/{templateName}';
  return useAction({
    run: async (difference: Schema<'TemplateDifference'>) => {
      const { headers, body: now } = await api.answer('get', address, { params: { path } });
      const items = withSpelling(now.items, difference) ?? now.items;
      const header = { 'If-Match': headers.get('etag') ?? '*' };
      const body = { name, selector: now.selector ?? selector ?? '', items } as Schema<'SaveTemplate'>;
      return api.put(address, { params: { path, header }, body });
    },
    done: 'The draft has it; what is published stays in force',
    refreshes: ['templates'],
  });
}
