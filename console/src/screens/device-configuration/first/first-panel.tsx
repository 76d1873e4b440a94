import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { type Schema } from '../../../api/client.js';
import { KEYS } from '../../../api/keys/query-keys.js';
import { useList } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { Card, Facts } from '../../../ui/page.js';
import { CHANGED } from '../../../ui/sides/side-by-side.js';
import { Ago } from '../../../ui/time.js';
import { To, useSearchText } from '../../../ui/to.js';
import { sendCall, wordsOf } from '../../device-api/device-call.js';
import { fieldsOf } from '../../device-api/document.js';
import { ChangeLines } from '../../observed/change-lines.js';
import { shortTitle } from '../../observed/path-words.js';
import { type Service } from '../services.js';
import css from './first-panel.module.css';
import { KEY_PATHS, keySettings } from './key-settings.js';

interface FirstPanelProps {
  readonly device: Schema<'Device'>;
  readonly services: readonly Service[];
}

/** What stands beside the settings before one is chosen: the key ones, what changed lately, and what is often needed. */
export function FirstPanel({ device, services }: FirstPanelProps): ReactNode {
  const mayReadChanges = useMay('observed.read');
  return (
    <div className="stack">
      <KeySettings device={device} services={services} />
      {mayReadChanges && <Lately device={device} services={services} />}
      <Often services={services} />
    </div>
  );
}

const has = (services: readonly Service[], path: string): boolean => services.some((one) => one.path === path);

function KeySettings({ device, services }: FirstPanelProps): ReactNode {
  const paths = KEY_PATHS.filter((path) => has(services, path));
  const { data, error, refetch } = useQuery({
    queryKey: KEYS.deviceConfiguration.key(device.id, paths),
    queryFn: ({ signal }) => readAll(device.id, paths, signal),
    enabled: paths.length > 0,
    refetchOnWindowFocus: false,
  });
  if (paths.length === 0) return null;
  const settings = data ? keySettings(data) : [];
  return (
    <Card title="Key settings">
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading what="Reading from the device" />
      ) : settings.length === 0 ? (
        <p className="quiet">The device says none of them.</p>
      ) : (
        <Facts
          of={settings.map(({ name, value, path }) => [
            name,
            <span key={name} className={css.setting}>
              <span>{value}</span>
              <ServiceLink path={path}>Change</ServiceLink>
            </span>,
          ])}
        />
      )}
      <p className={`small quiet ${css.note}`}>
        Read from the device just now. Choose another one under “Settings” to change it; before a change is saved, you
        see what it does.
      </p>
    </Card>
  );
}

/** One request for all; what the device refuses is left out. @throws ApiError; Error with the device's own words */
async function readAll(deviceId: string, paths: readonly string[], signal: AbortSignal) {
  const json = { data: paths.map((endpoint) => ({ endpoint, method: 'GET' })) };
  const answer = await sendCall(deviceId, { method: 'POST', path: '/api/bulk', json, isRead: true }, signal);
  if (answer.status >= 300)
    throw new Error(`The device refused it with status ${answer.status}${wordsOf(answer.value)}`);
  const items = [fieldsOf(answer.value)['data'] ?? []].flat().map(fieldsOf);
  return new Map(paths.map((path, at) => [path, items[at]?.['data']]));
}

const LATELY = 3;

/** What watches saw to change. */
function Lately({ device, services }: FirstPanelProps): ReactNode {
  const list = useList('/v1/devices/{ref}/observed/changes', {
    key: KEYS.observed.changes(device.id),
    path: { ref: device.id },
    query: { limit: LATELY },
  });
  if (list.isLoading || list.error || list.rows.length === 0) return null;
  return (
    <Card
      title="Changed lately"
      actions={
        <To to={`/devices/${device.id}`} search={{ tab: 'history' }}>
          All changes
        </To>
      }
    >
      <ul className={css.lately}>
        {list.rows.slice(0, LATELY).map(({ id, path, from, to, at, options }) => (
          <li key={id}>
            <span>
              {has(services, path) ? <ServiceLink path={path}>{shortTitle(path)}</ServiceLink> : shortTitle(path)}
              <span className="small quiet">
                {' '}
                <Ago at={at} />
              </span>
            </span>
            <ChangeLines path={path} one={from} other={to} heads={CHANGED} otherwise={options.join(', ')} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

const OFTEN = [
  '/api/interfaces/config',
  '/api/wireless/interfaces/config',
  '/api/sim_cards/config',
  '/api/dhcp/servers/ipv4/config',
  '/api/dhcp/static_leases/ipv4/config',
  '/api/firewall/port_forwards/config',
  '/api/firewall/traffic_rules/config',
  '/api/wireguard/config',
  '/api/openvpn/config',
  '/api/auto_reboot/scheduler/config',
  '/api/users/config',
  '/api/access_control/ssh/config',
];

function Often({ services }: { services: readonly Service[] }): ReactNode {
  const shown = OFTEN.flatMap((path) => services.find((one) => one.path === path && one.canWrite) ?? []);
  if (shown.length === 0) return null;
  return (
    <Card title="Often needed">
      <ul className={css.often}>
        {shown.map(({ path, words }) => (
          <li key={path}>
            <ServiceLink path={path}>{words.title}</ServiceLink>
            {words.help && <span className="small quiet">{words.help}</span>}
          </li>
        ))}
      </ul>
    </Card>
  );
}

function ServiceLink({ path, children }: { path: string; children: ReactNode }): ReactNode {
  const [search] = useSearchText();
  return (
    <To to="." search={{ ...search, service: path, part: undefined }}>
      {children}
    </To>
  );
}
