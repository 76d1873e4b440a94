import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { tell } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { Loading, Notice } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { useUnsaved } from '../../ui/leaving/unsaved.js';
import { useSearchText } from '../../ui/to.js';
import { OfflineCard } from '../device-outage/offline-card.js';
import { TrustCard } from '../device-outage/trust-card.js';
import css from './device-api.module.css';
import { documentQuery } from './document.js';
import { METHODS } from './operation.js';
import { OperationList } from './operation-list.js';
import { filledPath } from './paths.js';
import { RequestFields } from './request-fields.js';
import { RequestForm } from './request-form.js';

const FIRST = '/api/system/device/status';

/** One call to a device: an operation of its own document, or any path. */
export function DeviceApi({ device }: { device: Schema<'Device'> }): ReactNode {
  const [search] = useSearchText();
  const method = METHODS.find((one) => one === search['method']) ?? 'GET';
  const path = search['path'] ?? FIRST;
  const isStrange = device.state === 'trust_changed';
  const isSilent = device.state === 'offline' || isStrange;
  const document = useQuery({ ...documentQuery(device.id), enabled: !isSilent });
  const operation = document.data?.find((one) => one.method === method && one.path === path.split('?')[0]);
  const key = `${method} ${operation?.path ?? ''}`;
  const { bodies, keep, sent } = useBodies();
  return (
    <div className="stack">
      {device.state === 'offline' && <OfflineCard device={device}>A request fails until it answers.</OfflineCard>}
      {isStrange && <TrustCard device={device}>A request fails until its certificate is accepted.</TrustCard>}
      <div className={css.layout}>
        <Card title="Operations">
          {isSilent && !document.data ? (
            <p className="quiet">
              The device lists them when it {isStrange ? 'is trusted' : 'answers'}. The gateway passes on any path.
            </p>
          ) : document.error ? (
            <Notice tone="warn">
              <strong>The device’s document of its API cannot be read.</strong>
              <span className="foreign">{tell(document.error).title}</span>
              <span>Type a path; the gateway passes it on.</span>
              <div>
                <Button icon="refresh" onClick={() => void document.refetch()}>
                  Try again
                </Button>
              </div>
            </Notice>
          ) : document.data ? (
            <OperationList operations={document.data} />
          ) : (
            <Loading what="Reading what the device offers" />
          )}
        </Card>
        <Card title="Request">
          <div className="stack">
            <RequestFields method={method} path={path} operation={operation} />
            <RequestForm
              key={key}
              device={device}
              method={method}
              path={filledPath(path, (name) => search[`arg.${name}`])}
              operation={operation}
              typed={bodies[key]}
              onTyped={(body) => keep(key, body)}
              onSent={() => sent(key)}
            />
          </div>
        </Card>
      </div>
    </div>
  );
}

type Bodies = Readonly<Record<string, string | undefined>>;

/** The bodies that were typed, by method and operation: a look at another one loses none. Those that were not sent are guarded. */
function useBodies() {
  const [bodies, setBodies] = useState<Bodies>({});
  const [sentBodies, setSent] = useState<Bodies>({});
  useUnsaved(Object.entries(bodies).some(([key, body]) => body !== undefined && body !== sentBodies[key]));
  return {
    bodies,
    keep: (key: string, body: string | undefined) => setBodies((before) => ({ ...before, [key]: body })),
    sent: (key: string) => setSent({ ...sentBodies, [key]: bodies[key] }),
  };
}
