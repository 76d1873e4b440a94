import { type ReactNode, useState } from 'react';
import { summaryOfSection } from '../../../../src/device-api/words/section-words.js';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';
import { To, useSearchText } from '../../ui/to.js';
import css from './device-configuration.module.css';
import { isWantedSection } from './finding/wanted.js';
import { NewSection } from './new-section.js';
import { SectionForm } from './section-form.js';
import { codeName, isSwitchedOn, type TitledSection } from './section-title.js';
import { useDhcpStates } from './service-data.js';
import { type Service, servicesBelow } from './services.js';

interface SectionListProps {
  device: Schema<'Device'>;
  service: Service;
  services: readonly Service[];
  sections: readonly TitledSection[];
}

/** More than these are not forms; the raw view has all. */
const SHOWN = 50;

/** The sections of a list, folded, and a form for one more. */
export function SectionList({ device, service, services, sections }: SectionListProps): ReactNode {
  const [isAdding, setAdding] = useState(false);
  const [search] = useSearchText();
  const mayAdd = useMay('device.call_write') && service.canCreate;
  const one = service.words.one ?? 'entry';
  const dhcp = useDhcpStates(device, service, services);
  return (
    <>
      {sections.length === 0 && !isAdding && <p className="quiet">There is no {one} yet.</p>}
      <div>
        {sections.slice(0, SHOWN).map((titled, at) => (
          <details
            key={codeName(titled.section) ?? at}
            className={css.section}
            open={sections.length === 1 || isWantedSection(search, titled.section['id'])}
          >
            <summary>
              <Head service={service} titled={titled} dhcp={dhcp.get(codeName(titled.section) ?? '')} />
            </summary>
            <div className="stack">
              <Below service={service} services={services} titled={titled} />
              <SectionForm
                device={device}
                service={service}
                section={titled.section}
                title={titled.title}
                isOnly={sections.length === 1}
              />
            </div>
          </details>
        ))}
      </div>
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

interface OneProps {
  service: Service;
  titled: TitledSection;
}

/** What it is, what it is set to, and whether it is on. */
function Head({ service, titled: { section, title, id }, dhcp }: OneProps & { dhcp?: string | undefined }): ReactNode {
  const isOn = isSwitchedOn(section);
  const summary = [summaryOfSection(service.name, section, title), dhcp].filter(Boolean).join(' · ');
  return (
    <span className={css.head} title={codeName(section)}>
      <span>
        <strong className="foreign">{title}</strong> {id && <span className={`${css.name} foreign`}>{id}</span>}
      </span>
      {summary && <span className={`${css.summary} foreign`}>{summary}</span>}
      {isOn !== null && (
        <span className={css.state}>
          <Mark tone={isOn ? 'good' : 'plain'}>{isOn ? 'On' : 'Off'}</Mark>
        </span>
      )}
    </span>
  );
}

/** Lists that belong to one section, such as the peers of a tunnel. */
function Below({
  service,
  services,
  titled: { section, title },
}: OneProps & { services: readonly Service[] }): ReactNode {
  const [search] = useSearchText();
  const id = section['id'];
  const below = typeof id === 'string' ? servicesBelow(services, service, id) : [];
  if (below.length === 0) return null;
  return (
    <div className="row">
      {below.map(({ path, words }) => (
        <To key={path} to="." search={{ ...search, service: path, part: undefined }}>
          {words.title} of {title}
        </To>
      ))}
    </div>
  );
}
