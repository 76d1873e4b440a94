import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../api/client.js';
import { useMay } from '../../api/may.js';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';
import { Card } from '../../ui/page.js';
import { exactText } from '../../ui/time.js';
import { To, useSearchText } from '../../ui/to.js';
import { AcceptPin } from '../certificates/accept-pin.js';
import { PinDifference } from '../certificates/pin-difference.js';
import { useShownBy } from '../certificates/shown-certificate.js';
import { weekQuery } from '../device/device-queries.js';
import styles from './outage.module.css';

interface TrustCardProps {
  device: Schema<'Device'>;
  /** What the screen shows in the place of the device's answer. */
  children?: ReactNode;
}

/** The first thing about a device that shows another certificate: both of them, what that means, and the decision. */
export function TrustCard({ device, children }: TrustCardProps): ReactNode {
  const { trust } = device;
  const [{ tab }] = useSearchText();
  const [isAccept, setAccept] = useState(false);
  const mayTrust = useMay('device.trust');
  const since = useQuery(weekQuery(device.id)).data?.items.find(({ field }) => field === 'state')?.at;
  const known = useShownBy(device.id);
  return (
    <Card>
      <div className="stack">
        <div className={styles['head']}>
          <div>
            <h2>
              <Mark tone="strange">It shows another certificate</Mark>
            </h2>
            <strong>The gateway sends it no call and no password until a person decides.</strong>
            {since && <span className="small quiet">Since {exactText(since)}</span>}
          </div>
          {mayTrust && trust.offeredPin && (
            <Button kind="primary" onClick={() => setAccept(true)}>
              Compare and accept
            </Button>
          )}
        </div>
        <PinDifference trust={trust} known={known} />
        <div>
          <h3>What to do</h3>
          <p>
            If you or the vendor renewed it, or the router was reset, accept it. If you did not expect it, do not
            accept: another machine may answer at this address, so look at the line first.
          </p>
        </div>
        {children && <p className="quiet">{children}</p>}
        <div className="row">
          <To to="." search={{ tab: 'audit' }}>
            Audit of this device
          </To>
          {tab !== 'trust' && (
            <To to="." search={{ tab: 'trust' }}>
              All its certificates
            </To>
          )}
        </div>
      </div>
      {isAccept && <AcceptPin device={device} onClose={() => setAccept(false)} />}
    </Card>
  );
}
