import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';
import { To, useSearchText } from '../../ui/to.js';
import css from './device-configuration.module.css';
import { NewSection } from './new-section.js';
import { SectionForm } from './section-form.js';
import { isSwitchedOn, sectionId, sectionTitle } from './section-title.js';
import { type Section } from './section-values.js';
import { type Service, servicesBelow } from './services.js';

interface SectionListProps {
  device: Schema<'Device'>;
  service: Service;
  services: readonly Service[];
  sections: readonly Section[];
}

/** More than these are not forms; the raw view has all. */
const SHOWN = 50;

/** The sections of a list, folded, and a form for one more. */
export function SectionList({ device, service, services, sections }: SectionListProps): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const mayAdd = useMay('device.call_write') && service.canCreate;
  const one = service.words.one ?? 'entry';
  return (
    <>
      {sections.length === 0 && !isAdding && <p className="quiet">There is no {one} yet.</p>}
      {sections.slice(0, SHOWN).map((section, at) => (
        <details
          key={typeof section['id'] === 'string' ? section['id'] : at}
          className={css.section}
          open={sections.length === 1}
        >
          <summary>
            <Head section={section} />
          </summary>
          <div className="stack">
            <Below device={device} service={service} services={services} section={section} />
            <SectionForm device={device} service={service} section={section} />
          </div>
        </details>
      ))}
      {sections.length > SHOWN && <p className="small quiet">{sections.length - SHOWN} more are in the raw view.</p>}
      {isAdding && <NewSection device={device} service={service} onClose={() => setAdding(false)} />}
      {mayAdd && !isAdding && (
        <div>
          <Button icon="plus" onClick={() => setAdding(true)}>
            Add {one}
          </Button>
        </div>
      )}
    </>
  );
}

function Head({ section }: { section: Section }): ReactNode {
  const id = sectionId(section);
  const isOn = isSwitchedOn(section);
  return (
    <span className={css.head}>
      <strong className="foreign">{sectionTitle(section)}</strong>
      {id && <code className={`${css.name} foreign`}>{id}</code>}
      {isOn !== null && <Mark tone={isOn ? 'good' : 'plain'}>{isOn ? 'On' : 'Off'}</Mark>}
    </span>
  );
}

/** Lists that belong to one section, such as the peers of a tunnel. */
function Below({ service, services, section }: Omit<SectionListProps, 'sections'> & { section: Section }): ReactNode {
  const [search] = useSearchText();
  const id = section['id'];
  const below = typeof id === 'string' ? servicesBelow(services, service, id) : [];
  if (below.length === 0) return null;
  return (
    <div className="row">
      {below.map(({ path, words }) => (
        <To key={path} to="." search={{ ...search, service: path, part: undefined }}>
          {words.title} of {sectionTitle(section)}
        </To>
      ))}
    </div>
  );
}
