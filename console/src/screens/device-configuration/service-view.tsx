import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { JsonBlock } from '../../ui/json.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { To, useSearchText } from '../../ui/to.js';
import { deviceAnswer } from '../device-api/device-call.js';
import { fieldsOf } from '../device-api/document.js';
import { SectionForm } from './section-form.js';
import { type Section } from './section-values.js';
import { type Service } from './services.js';

/** One service: its sections as forms, or all of it as the device gave it. */
export function ServiceView({ device, service }: { device: Schema<'Device'>; service: Service }): ReactNode {
  const [search, change] = useSearchText();
  const isRaw = search['raw'] === 'yes';
  const mayReadSecrets = useMay('device.read_secrets');
  const [wantsSecrets, setWantsSecrets] = useState(false);
  const { data, error, refetch } = useQuery({
    queryKey: ['device-configuration', device.id, service.path, wantsSecrets],
    queryFn: async ({ signal }) => {
      const { value } = await deviceAnswer(device.id, { method: 'GET', path: service.path, wantsSecrets }, signal);
      return fieldsOf(value)['data'] ?? null;
    },
    refetchOnWindowFocus: false,
    placeholderData: (previous) => previous, // what was typed stays
    ...(wantsSecrets ? { gcTime: 0, staleTime: Infinity } : {}), // each such reading is in the audit log
  });
  return (
    <Card
      title={service.name}
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
        {service.summary && <p className="small quiet foreign">{service.summary}</p>}
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
            {isRaw && <JsonBlock label={`Configuration of ${service.name}`} value={data} />}
            {/* Changes that are not saved outlive a look at the raw values. */}
            <div hidden={isRaw}>
              <div className="stack">
                <Sections device={device} service={service} sections={[data].flat().map(fieldsOf)} />
              </div>
            </div>
          </>
        )}
        {service.canCreate && (
          <p className="small">
            <To to="." search={{ tab: 'api', method: 'POST', path: service.path }}>
              Add or remove one with the API
            </To>
          </p>
        )}
      </div>
    </Card>
  );
}

interface SectionsProps {
  device: Schema<'Device'>;
  service: Service;
  sections: readonly Section[];
}

/** More than these are not forms; the raw view has all. */
const SHOWN = 50;

function Sections({ device, service, sections }: SectionsProps): ReactNode {
  if (sections.length === 0) return <p className="quiet">There is nothing here yet.</p>;
  if (service.isRecord) return <SectionForm device={device} service={service} section={sections[0] ?? {}} />;
  return (
    <>
      {sections.slice(0, SHOWN).map((section, at) => (
        <details key={textOf(section['id']) || at} className="section" open={sections.length === 1}>
          <summary>
            <strong className="foreign">{titleOf(section)}</strong>{' '}
            <span className="small quiet foreign">{textOf(section['.type'])}</span>
          </summary>
          <SectionForm device={device} service={service} section={section} />
        </details>
      ))}
      {sections.length > SHOWN && <p className="small quiet">{sections.length - SHOWN} more are in the raw view.</p>}
    </>
  );
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function titleOf(section: Section): string {
  const id = textOf(section['id']) || 'Without an id';
  const name = textOf(section['name']) || textOf(section['ssid']) || textOf(section['username']);
  return name && name !== id ? `${id} · ${name}` : id;
}
