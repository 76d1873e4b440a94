import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { To } from '../../ui/to.js';
import { OutcomeMark } from './outcome-mark.js';
import { OUTCOMES } from './requests.js';

/** How many devices have which outcome: one bar of counts, however many devices there are. */
export function OutcomeBar({ fanOut }: { fanOut: Schema<'StoredFanOut'> }): ReactNode {
  const { counts, devices, waiting } = fanOut;
  const present = OUTCOMES.filter(([outcome]) => (counts[outcome] ?? 0) > 0);
  const done = devices - waiting;
  return (
    <div className="stack" role="status">
      <div className="bar outcome-bar" role="img" aria-label={`${done} of ${devices} devices have an outcome`}>
        {present.map(([outcome, tone]) => (
          <i
            key={outcome}
            data-tone={tone}
            style={{ width: `${(100 * (counts[outcome] ?? 0)) / Math.max(1, devices)}%` }}
          />
        ))}
      </div>
      <nav className="row" aria-label="Devices by outcome">
        <To to="." search={{}}>
          All {devices.toLocaleString('en')}
        </To>
        {present.map(([outcome]) => (
          <To key={outcome} to="." search={{ outcome }} className="row outcome-link">
            <OutcomeMark outcome={outcome} /> {(counts[outcome] ?? 0).toLocaleString('en')}
          </To>
        ))}
        {waiting > 0 && <span className="quiet">{waiting.toLocaleString('en')} wait</span>}
      </nav>
    </div>
  );
}
