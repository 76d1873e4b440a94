import { type ReactNode } from 'react';
import { DeviceLink } from '../../ui/devices/device-link.js';
import { Mark, StateMark } from '../../ui/mark.js';
import { Failure, Loading } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type Attention } from './attention.js';
import { useAttention } from './use-attention.js';

const SHOWN = 12;

const WITH_A_PROBLEM = {
  selector: 'state=offline | state=trust_changed | state=credentials_refused | credentials:none',
};

/** What needs a person, worst first, each with the one action that helps. */
export function AttentionList(): ReactNode {
  const { items, moreDevices, isLoading, errors } = useAttention();
  const more = Math.max(0, items.length - SHOWN) + moreDevices;
  return (
    <Card title="Needs attention" flush>
      {errors.length > 0 ? (
        <div className="attention-none">
          <Failure error={errors[0]} />
        </div>
      ) : isLoading ? (
        <div className="attention-none">
          <Loading what="Looking" />
        </div>
      ) : (
        items.length === 0 && (
          <p className="attention-none quiet" role="status">
            Nothing needs you now.
          </p>
        )
      )}
      <ul className="attention">
        {items.slice(0, SHOWN).map((item) => (
          <Item key={item.id} {...item} />
        ))}
      </ul>
      {more > 0 && (
        <p className="attention-none quiet">
          {more.toLocaleString('en')} more:{' '}
          <To to="/devices" search={WITH_A_PROBLEM}>
            all devices with a problem
          </To>
        </p>
      )}
    </Card>
  );
}

function Item({ state, what, deviceId, why, answeredAt, to, search, action }: Attention): ReactNode {
  return (
    <li>
      <span className="attention-state">
        {state === 'warning' ? <Mark tone="warn">Warning</Mark> : <StateMark state={state} />}
      </span>
      <span className="foreign attention-text">
        <strong>
          {what} {deviceId && <DeviceLink id={deviceId} />}
        </strong>
        <span className="quiet small">
          {why}
          {answeredAt && (
            <>
              , last answer <Ago at={answeredAt} />
            </>
          )}
        </span>
      </span>
      <To to={to} search={search ?? {}} className="button">
        {action}
      </To>
    </li>
  );
}
