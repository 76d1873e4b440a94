import { type ReactNode, useState } from 'react';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { StateMark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { RowMenu } from '../../ui/row-menu.js';
import { To } from '../../ui/to.js';
import { QUICK_MUTE, useQuickMute } from '../monitoring/use-quick-mute.js';
import { type Attention } from './attention-item.js';
import styles from './overview.module.css';
import { type AllAttention } from './use-attention.js';

const SHOWN = 12;

/** What needs a person, worst first, each with the one action that helps. */
export function AttentionList({ items, isLoading, errors }: AllAttention): ReactNode {
  const [isAll, setAll] = useState(false);
  const more = items.length - SHOWN;
  return (
    <Card title="Needs attention" flush>
      {errors.length > 0 ? (
        <div className={styles['beside']}>
          <Failure error={errors[0]} />
        </div>
      ) : isLoading ? (
        <div className={styles['beside']}>
          <Loading what="Looking" />
        </div>
      ) : (
        items.length === 0 && (
          <p className={`quiet ${styles['beside']}`} role="status">
            Nothing needs you now.
          </p>
        )
      )}
      <ul className={styles['attention']} aria-label="Needs attention">
        {(isAll ? items : items.slice(0, SHOWN)).map((item) => (
          <Item key={item.id} {...item} />
        ))}
      </ul>
      {more > 0 && (
        <p className={styles['beside']}>
          <Button kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show fewer' : `${more.toLocaleString('en')} more`}
          </Button>
        </p>
      )}
    </Card>
  );
}

function Item(item: Attention): ReactNode {
  const { state, what, deviceId, why, since, to, search, action, alerts } = item;
  const mayMute = useMay('monitoring.manage');
  const mute = useQuickMute();
  return (
    <li>
      <span>
        <StateMark state={state} />
      </span>
      <span className={`foreign ${styles['text']}`}>
        <strong>
          {what} {deviceId && <DeviceLink id={deviceId} />}
        </strong>
        <span className="quiet small">
          {since && (
            <>
              <Ago at={since} /> ·{' '}
            </>
          )}
          {why}
        </span>
      </span>
      <span className="row">
        <To to={to} search={search ?? {}} className="button">
          {action}
        </To>
        {alerts && mayMute && (
          <RowMenu of={what} actions={[{ text: QUICK_MUTE, onSelect: () => mute.mutate(alerts) }]} />
        )}
      </span>
    </li>
  );
}
