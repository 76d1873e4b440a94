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

const textOf = (severity: Severity) => SEVERITIES.find(([value]) => value === severity)?.[1];

/** @param isOff the rule judges nothing: its severity is no colour among those of the others */
export const SeverityMark = ({ severity, isOff = false }: { severity: Severity; isOff?: boolean }): ReactNode => (
  <Mark tone={isOff ? 'plain' : TONES[severity]}>{textOf(severity)}</Mark>
);
