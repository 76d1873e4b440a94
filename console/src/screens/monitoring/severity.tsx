import { type ReactNode } from 'react';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';

type Severity = Schema<'AlertRule'>['severity'];

export const SEVERITIES: readonly (readonly [value: Severity, text: string])[] = [
  ['critical', 'Critical'],
  ['warning', 'Warning'],
  ['info', 'Information'],
];

const TONES = { critical: 'bad', warning: 'warn', info: 'plain' } as const;

export const SeverityMark = ({ severity }: { severity: Severity }): ReactNode => (
  <Mark tone={TONES[severity]}>{SEVERITIES.find(([value]) => value === severity)?.[1]}</Mark>
);
