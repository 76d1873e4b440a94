import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { JsonBlock } from '../../ui/json.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { useSearchText } from '../../ui/to.js';
import { fieldsOf } from '../device-api/document.js';
import css from './device-configuration.module.css';
import { SectionForm } from './section-form.js';
import { SectionList } from './section-list.js';
import { type Section } from './section-values.js';
import { useServiceData } from './service-data.js';
import { partOf, wayTo } from './service-menu.js';
import { titledSections } from './section-title.js';
import { type Service } from './services.js';

interface ServiceViewProps {
  device: Schema<'Device'>;
  service: Service;
  services: readonly Service[];
}

/** One service: its sections as forms, or all of it as the device gave it. */
export function ServiceView({ device, service, services }: ServiceViewProps): ReactNode {
  const [search, change] = useSearchText();
  const isRaw = search['raw'] === 'yes';
  const mayReadSecrets = useMay('device.read_secrets');
  const [wantsSecrets, setWantsSecrets] = useState(false);
  const { data, error, refetch } = useServiceData(device, service, wantsSecrets);
  const part = partOf(search['part']);
  const title = part?.title ?? service.words.title;
  return (
    <Card
      title={title}
      actions={
        <span className="row">
          <Button aria-pressed={isRaw} onClick={() => change({ raw: isRaw ? undefined : 'yes' })}>
            Raw
          </Button>
          {mayReadSecrets && (
            <Button aria-pressed={wantsSecrets} onClick={() => setWantsSecrets(!wantsSecrets)}>
              Show secrets
            </Button>
          )}
          <Button icon="refresh" onClick={() => void refetch()}>
            Read again
          </Button>
        </span>
      }
    >
      <div className="stack">
        <About service={service} isRaw={isRaw} />
        {wantsSecrets && (
          <p className="small quiet">
            The audit log records that you read secrets. What stays hidden needs a recent second factor, or another
            right.
          </p>
        )}
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {data === undefined && !error && <Loading what="Reading from the device" />}
        {data !== undefined && (
          <>
            {isRaw && <JsonBlock label={`Configuration of ${title}`} value={data} />}
            {/* Changes that are not saved outlive a look at the raw values. */}
            <div hidden={isRaw}>
              <div className="stack">
                <Forms device={device} service={service} services={services} data={data} />
              </div>
            </div>
          </>
        )}
      </div>
    </Card>
  );
}

/** Where it is in the menus and what it is for; beside its raw values, its name for programs. */
function About({ service, isRaw }: { service: Service; isRaw: boolean }): ReactNode {
  const { words, path } = service;
  return (
    <div className={css.about}>
      <p className="small quiet">
        <span title={path}>{wayTo(service).join(' › ')}</span>
        {isRaw && (
          <>
            {' · '}
            <code className="foreign">{path}</code>
          </>
        )}
      </p>
      {words.help && <p>{words.help}</p>}
    </div>
  );
}

function Forms({ device, service, services, data }: ServiceViewProps & { data: unknown }): ReactNode {
  const [search] = useSearchText();
  const part = partOf(search['part']);
  const sections: readonly Section[] = [data].flat().map(fieldsOf);
  if (service.isRecord) return <SectionForm device={device} service={service} section={sections[0] ?? {}} isOnly />;
  const titled = titledSections(service, sections);
  const shown = part ? titled.filter(({ section }) => section[part.option] === part.value) : titled;
  return <SectionList device={device} service={service} services={services} sections={shown} />;
}
