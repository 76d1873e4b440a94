import { type ReactNode } from 'react';
import { Mark } from '../../ui/mark.js';
import { OUTCOMES } from './requests.js';

export function OutcomeMark({ outcome }: { outcome: string }): ReactNode {
  const [, tone, text] = OUTCOMES.find(([name]) => name === outcome) ?? [outcome, 'plain' as const, outcome];
  return <Mark tone={tone}>{text}</Mark>;
}
