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
import { ChangeLines } from '../../observed/change-lines.js';
import { shortTitle } from '../../observed/path-words.js';
import { useSections } from '../finding/sections.js';
import { type Wanted } from '../finding/found-options.js';
import { wantedSearch } from '../finding/wanted.js';
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
  const { data, error, refetch } = useSections(device.id, paths);
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
          of={settings.map(({ name, value, path, section, option }) => [
            name,
            <span key={name} className={css.setting}>
              <span>{value}</span>
              <ServiceLink path={path} section={section} option={option} about={name}>
                Change
              </ServiceLink>
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

interface ServiceLinkProps extends Partial<Omit<Wanted, 'path'>> {
  readonly path: string;
  /** What the link changes, where its text does not say it. */
  readonly about?: string;
  readonly children: ReactNode;
}

function ServiceLink({ path, section = null, option = null, about, children }: ServiceLinkProps): ReactNode {
  const [search] = useSearchText();
  return (
    <To
      to="."
      search={{ ...search, ...wantedSearch({ path, section, option }) }}
      title={about === undefined ? undefined : `Change ${about}`}
    >
      {children}
    </To>
  );
}
