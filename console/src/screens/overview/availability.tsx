import { useQuery } from '@tanstack/react-query';
import { type PointerEvent, type ReactNode, useState } from 'react';
import { Failure } from '../../ui/messages.js';
import { Card } from '../../ui/page.js';
import { TimeAxis } from '../../ui/rows/time-axis.js';
import { exactText } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { AREA_HEIGHT, AREA_WIDTH, areaPath, type AvailabilityPoint, meanShare, topOf } from './availability-area.js';
import styles from './figures.module.css';
import { availabilityQuery } from './overview-queries.js';

/** What the second area shows: all that were checked and are not online, whatever the reason. */
const NOT_ONLINE = '!state:online & !state:new';

/** How many devices were online, over the last 24 hours. */
export function Availability(): ReactNode {
  const { data, error, refetch } = useQuery(availabilityQuery);
  const points = data?.points ?? [];
  const mean = meanShare(points);
  return (
    <Card title="Online in the last 24 hours">
      {error ? (
        <Failure error={error} onRetry={() => void refetch()} />
      ) : data && mean === null ? (
        <p className="quiet">No device was checked in the last 24 hours. The line begins with the first check.</p>
      ) : (
        <Area points={points} text={mean === null ? '…' : `${(100 * mean).toFixed(1)} % online on average`} />
      )}
    </Card>
  );
}

/** The area, and the point under the pointer; without one the last. */
function Area({ points, text }: { points: readonly AvailabilityPoint[]; text: string }): ReactNode {
  const [place, setPlace] = useState<number | null>(null);
  const shown = points[place ?? points.length - 1];
  const moved = ({ clientX, currentTarget }: PointerEvent<SVGSVGElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    const at = Math.round(((clientX - left) / width) * (points.length - 1));
    setPlace(Math.max(0, Math.min(points.length - 1, at)));
  };
  const x = place === null ? null : (place / Math.max(1, points.length - 1)) * AREA_WIDTH;
  return (
    <div className="stack">
      <div className={styles['plot']}>
        <span className="small quiet">{topOf(points).toLocaleString('en')}</span>
        <svg
          viewBox={`0 0 ${AREA_WIDTH} ${AREA_HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Devices online in the last 24 hours: ${text}`}
          onPointerMove={moved}
          onPointerLeave={() => setPlace(null)}
        >
          <path className={styles['all']} d={areaPath(points, 'devices')} />
          <path className={styles['online']} d={areaPath(points, 'online')} />
          {x !== null && <line x1={x} x2={x} y1={0} y2={AREA_HEIGHT} vectorEffect="non-scaling-stroke" />}
        </svg>
        <span className="small quiet">0</span>
        <div className={styles['axis']}>
          {points.length > 1 && <TimeAxis from={Date.parse(points[0]!.at)} to={Date.parse(points.at(-1)!.at)} />}
        </div>
      </div>
      <p className="row small">
        <span className={styles['key']} data-of="online">
          <i /> online
        </span>
        <span className={styles['key']} data-of="all">
          <i /> not online
        </span>
        <span className="quiet">{text}</span>
        {shown && (
          <span className="quiet">
            {exactText(shown.at)}: {shown.online.toLocaleString('en')} of {shown.devices.toLocaleString('en')}
          </span>
        )}
        <To to="/devices" search={{ selector: NOT_ONLINE }}>
          Devices that are not online now
        </To>
      </p>
    </div>
  );
}
