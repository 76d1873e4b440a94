import { type ReactNode } from 'react';
import { CheckField, TextField } from '../../ui/field.js';
import { To, useAddressText, useSearchText } from '../../ui/to.js';
import { groupsOf, type Service, type ServiceGroup } from './services.js';

/** The services of the device, folded by the first part of their names. */
export function ServiceTree({ services, chosen }: { services: readonly Service[]; chosen: string }): ReactNode {
  const [text, setText] = useAddressText('services');
  const [{ readOnly }, change] = useSearchText();
  const withFixed = readOnly === 'yes';
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = services.filter(({ name, summary, canWrite, path }) => {
    const all = `${name} ${summary}`.toLowerCase();
    return (canWrite || withFixed || path === chosen) && words.every((word) => all.includes(word));
  });
  const groups = groupsOf(found);
  return (
    <div className="stack">
      <TextField
        label="Find a service"
        type="search"
        placeholder="Such as: firewall"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <CheckField
        label="Also those that can only be read"
        checked={withFixed}
        onChange={(event) => change({ readOnly: event.target.checked ? 'yes' : undefined })}
      />
      <div className="service-tree" role="group" aria-label="Services of the device">
        {groups.map((group) => (
          <Group key={`${group.name} ${words.length > 0}`} group={group} chosen={chosen} isFound={words.length > 0} />
        ))}
      </div>
      {groups.length === 0 && (
        <p className="small quiet" role="status">
          No service has these words.
        </p>
      )}
    </div>
  );
}

function Group({ group, chosen, isFound }: { group: ServiceGroup; chosen: string; isFound: boolean }): ReactNode {
  const { name, services } = group;
  const [only] = services;
  if (only && services.length === 1) return <ServiceLink service={only} isChosen={only.path === chosen} />;
  return (
    <details open={isFound || services.some(({ path }) => path === chosen)}>
      <summary className="foreign">
        {name} <span className="small quiet">{services.length}</span>
      </summary>
      {services.map((service) => (
        <ServiceLink key={service.path} service={service} isChosen={service.path === chosen} />
      ))}
    </details>
  );
}

function ServiceLink({
  service: { name, path, summary },
  isChosen,
}: {
  service: Service;
  isChosen: boolean;
}): ReactNode {
  const [search] = useSearchText();
  return (
    <To
      to="."
      search={{ ...search, service: path }}
      title={summary}
      className={isChosen ? 'foreign chosen' : 'foreign'}
    >
      {name}
    </To>
  );
}
