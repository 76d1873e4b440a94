import { type ReactNode } from 'react';
import { Ago } from '../../../ui/time.js';
import { CheckField } from '../../../ui/field.js';
import { type Difference, differenceWords, isOpenDifference, riskOfDifference, sideOf } from '../item-words.js';
import { JUDGED, SideBySide } from '../../../ui/sides/side-by-side.js';
import changes from '../../../ui/rows/changes.module.css';

/* What the dialogs that set devices to a template have in common. */

/** What the template says, and what a device has. @param more how many are not among them */
export function DifferenceLines({
  of,
  more = 0,
  isHeaded = true,
}: {
  of: readonly Difference[];
  more?: number;
  isHeaded?: boolean;
}): ReactNode {
  const open = of.filter(isOpenDifference);
  const ignored = of.filter((one) => one.ignored);
  return (
    <>
      {open.length + more > 0 && <SideBySide heads={JUDGED} lines={open.map(sideOf)} more={more} isHeaded={isHeaded} />}
      {ignored.length > 0 && (
        <ul className={changes['changes']}>
          {ignored.map((difference, at) => (
            <li key={at} className="quiet">
              <span className="foreign">{differenceWords(difference).what}</span> stays{' '}
              <span className="foreign">{differenceWords(difference).seen}</span>: ignored by{' '}
              <span className="foreign">
                {difference.ignored!.by} ({difference.ignored!.reason})
              </span>
              , ends <Ago at={difference.ignored!.until} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface AcceptRiskProps {
  /** What is to be changed. */
  readonly of: readonly Difference[];
  /** Whether there are more than these. */
  readonly isPart: boolean;
  readonly isAccepted: boolean;
  readonly onChange: (isAccepted: boolean) => void;
}

/** Without it, a change that can cut the connection is refused, and named. Where none can, it is not asked. */
export function AcceptRisk({ of, isPart, isAccepted, onChange }: AcceptRiskProps): ReactNode {
  const reasons = [...new Set(of.filter(isOpenDifference).flatMap((one) => riskOfDifference(one) ?? []))];
  if (reasons.length === 0 && !isPart) return null;
  return (
    <div>
      {reasons.length > 0 && <p className="small quiet">Some of this can cut the connection: {reasons.join('; ')}.</p>}
      <CheckField
        label="Also make changes that can cut the connection to a device"
        checked={isAccepted}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
