import { type ReactNode } from 'react';
import { CheckField, TextField } from '../../ui/field.js';
import { To, useAddressText, useSearchText } from '../../ui/to.js';
import css from './device-configuration.module.css';
import { FoundSettings } from './finding/found-settings.js';
import { type Entry, type EntryGroup, hasWords, menusOf } from './service-menu.js';
import { type Service } from './services.js';

interface ServiceTreeProps {
  readonly deviceId: string;
  readonly services: readonly Service[];
  readonly chosen: string;
}

/** The services of the device as the menus of a router, and the settings that a search finds. */
export function ServiceTree({ deviceId, services, chosen }: ServiceTreeProps): ReactNode {
  const [text, setText] = useAddressText('services');
  const [{ readOnly }, change] = useSearchText();
  const withFixed = readOnly === 'yes';
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = services.filter(
    (service) => (service.canWrite || withFixed || service.path === chosen) && hasWords(service, words),
  );
  const menus = menusOf(found);
  return (
    <div className="stack">
      <TextField
        label="Find a setting"
        type="search"
        placeholder="Such as: lease time"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <CheckField
        label="Show read-only ones"
        checked={withFixed}
        onChange={(event) => change({ readOnly: event.target.checked ? 'yes' : undefined })}
      />
      {words.length > 0 && <FoundSettings deviceId={deviceId} services={found} text={text} />}
      <nav className={css.tree} aria-label="Settings of the device">
        {menus.map(({ title, groups }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            {groups.map((group) => (
              <Group
                key={`${group.title} ${words.length > 0}`}
                group={group}
                chosen={chosen}
                isFound={words.length > 0}
              />
            ))}
          </section>
        ))}
      </nav>
      {menus.length === 0 && (
        <p className="small quiet" role="status">
          No setting has these words.
        </p>
      )}
    </div>
  );
}

function Group({ group, chosen, isFound }: { group: EntryGroup; chosen: string; isFound: boolean }): ReactNode {
  const { title, entries } = group;
  return (
    <details open={isFound || entries.some(({ service }) => service.path === chosen)}>
      <summary>{title}</summary>
      {entries.map((entry) => (
        <EntryLink key={`${entry.service.path} ${entry.part}`} entry={entry} chosen={chosen} />
      ))}
    </details>
  );
}

function EntryLink({ entry: { title, service, part }, chosen }: { entry: Entry; chosen: string }): ReactNode {
  const [search] = useSearchText();
  const isChosen = service.path === chosen && (search['part'] ?? null) === part;
  return (
    <To
      to="."
      search={{ ...search, service: service.path, part: part ?? undefined }}
      title={service.name}
      className={isChosen ? css.chosen : undefined}
    >
      {title}
    </To>
  );
}
