import { type ReactNode } from 'react';
import { firmwareParts, modelText } from '../../api/device-texts.js';
import { type Schema } from '../../api/client.js';
import { useList } from '../../api/lists.js';
import { useMay } from '../../api/may.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { shownState, StateMark } from '../../ui/mark.js';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import styles from './overview.module.css';

/** A fleet of so few is shown device by device: figures of a fleet say little of it. */
export const FEW = 3;

/** The devices of a fleet that has just begun. */
export function FewDevices(): ReactNode {
  const mayAdd = useMay('device.manage');
  const list = useList('/v1/devices', { key: KEYS.devices.few, query: { limit: FEW, sort: 'name' } });
  const devices = list.rows as readonly Schema<'Device'>[]; // without `fields` they are whole
  return (
    <Card
      title="Your devices"
      flush
      actions={
        mayAdd && (
          <To to="/devices" search={{ add: 'one' }} className="button">
            Add another
          </To>
        )
      }
    >
      {list.error ? <Failure error={list.error} onRetry={list.again} /> : null}
      <ul className={styles['attention']} aria-label="Your devices">
        {devices.map((device) => (
          <li key={device.id}>
            <StateMark state={shownState(device.state, device.credentials)} />
            <span className={styles['text']}>
              <strong>
                <To to={`/devices/${device.id}`} className="foreign">
                  {device.name}
                </To>
              </strong>
              <span className="small quiet foreign">{aboutText(device)}</span>
            </span>
            <span className="small quiet">{device.seenAt ? <Ago at={device.seenAt} /> : 'no answer yet'}</span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Its model, firmware and site, as far as they are known. */
function aboutText({ model, firmware, site, baseUrl }: Schema<'Device'>): string {
  const parts = [model && modelText(model), firmware && firmwareParts(firmware).version, site, baseUrl];
  return parts.filter(Boolean).join(' · ');
}
