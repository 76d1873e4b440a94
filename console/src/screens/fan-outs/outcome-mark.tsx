import { type ReactNode } from 'react';
import { Mark } from '../../ui/mark.js';
import { outcomeText, toneOf } from './requests.js';

export function OutcomeMark({ outcome }: { outcome: string }): ReactNode {
  return <Mark tone={toneOf(outcome)}>{outcomeText(outcome)}</Mark>;
}
