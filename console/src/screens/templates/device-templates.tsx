import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { Empty, Failure, Loading } from '../../ui/messages.js';
import { Ago, Since } from '../../ui/time.js';
import { DocLink, To } from '../../ui/to.js';
import { About, SyncMark, useActOf } from './device-states.js';
import { type DeviceState } from './drift-groups.js';
import { isOpenDifference } from './item-words.js';
import { DifferenceLines } from './put-back/put-back-parts.js';
import { PutBackDevice } from './put-back/put-back-device.js';
import { ResumeDialog } from './suspended.js';
import { StateMeanings } from './sync-bar.js';
import { OPEN_STATES, versionText } from './sync-words.js';
import { ofDeviceQuery } from './template-queries.js';
import styles from './templates.module.css';

/** The templates that reach a device, what differs from each, and what sets the device back to it. */
export function DeviceTemplates({ device }: { device: Schema<'Device'> }): ReactNode {
  const { data, error, refetch } = useQuery(ofDeviceQuery(device.id));
  const [chosen, setChosen] = useState<DeviceState | null>(null);
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading />;
  const close = () => setChosen(null);
  if (data.items.length === 0) return <NoTemplate />;
  return (
    <div className="stack">
      {data.items.map((state) => (
        <OfTemplate key={state.template} state={state} onChoose={setChosen} />
      ))}
      <StateMeanings of={OPEN_STATES.filter((one) => data.items.some(({ state }) => state === one))} />
      <p className="small quiet">
        What changed on this device, when and by whom, is under{' '}
        <To to={`/devices/${device.id}`} search={{ tab: 'history' }}>
          Changes
        </To>
        .
      </p>
      {chosen?.state === 'suspended' && (
        <ResumeDialog
          template={chosen.template}
          selector={`id:${chosen.deviceId}`}
          device={chosen.device}
          onClose={close}
        />
      )}
      {chosen && chosen.state !== 'suspended' && <PutBackDevice state={chosen} onClose={close} />}
    </div>
  );
}

interface OfTemplateProps {
  readonly state: DeviceState;
  readonly onChoose: (state: DeviceState) => void;
}

/** One template: how the device compares with it, what differs, and its act. */
function OfTemplate({ state, onChoose }: OfTemplateProps): ReactNode {
  const { template, reason, differences, moreDifferences, since, closedAt } = state;
  const act = useActOf()(state);
  const open = differences.filter(isOpenDifference).length + moreDifferences;
  return (
    <section className="card" aria-label={template}>
      <h2 className="row spread">
        <span className={styles['name']}>
          <To to={`/templates/${template}`} className="foreign">
            {template}
          </To>
          <SyncMark state={state.state} />
        </span>
        {act && (
          <Button aria-label={act.label} onClick={() => onChoose(state)}>
            {act.text}
          </Button>
        )}
      </h2>
      <div className="stack">
        {reason === null && differences.length > 0 ? (
          <DifferenceLines of={differences} more={moreDifferences} />
        ) : (
          reason !== null && (
            <p>
              <About of={state} />
            </p>
          )
        )}
        <p className="small quiet">
          {reason === null && (open > 0 ? `${countText(open, 'difference')} · ` : '')}
          {versionText(state)} · <Since at={since} />
          {closedAt && (
            <>
              {' '}
              · last set to the template <Ago at={closedAt} />
            </>
          )}
        </p>
      </div>
    </section>
  );
}

function NoTemplate(): ReactNode {
  return (
    <div className="card">
      <Empty
        title="No published template reaches this device"
        command="fleetgate template list"
        action={<To to="/templates">Open the templates</To>}
      >
        A template says what devices should be set to. Then this tab shows what differs on this one, and sets it back.
        See <DocLink of="howto/set-routers-alike">Set routers alike</DocLink>.
      </Empty>
    </div>
  );
}
