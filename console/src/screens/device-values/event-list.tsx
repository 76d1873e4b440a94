import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { type DeviceEvent } from './happened.js';
import styles from './history.module.css';

const SHOWN = 4;

/** What happened in the time of a chart, the latest first. */
export function EventList({ events }: { events: readonly DeviceEvent[] }): ReactNode {
  const [isAll, setAll] = useState(false);
  if (events.length === 0) return <p className="small quiet">Nothing else happened in this time.</p>;
  const shown = isAll ? events : events.slice(0, SHOWN);
  return (
    <>
      <ol className={styles['events']} aria-label="What happened in this time">
        {shown.map(({ at, kind, text, jobId }) => (
          <li key={`${at} ${text}`} data-kind={kind}>
            <span className="small quiet">
              <Ago at={at} />
            </span>
            <span className="foreign">{jobId ? <To to={`/jobs/${jobId}`}>{text}</To> : text}</span>
          </li>
        ))}
      </ol>
      {events.length > SHOWN && (
        <Button kind="quiet" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
          {isAll ? 'Show fewer' : `${(events.length - SHOWN).toLocaleString('en')} more`}
        </Button>
      )}
    </>
  );
}
