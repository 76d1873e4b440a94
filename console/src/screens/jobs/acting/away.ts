import { type components } from '../../../../../src/api-client/openapi.js';
import { numberText } from '../../../api/amount-text.js';
import { kindTitle } from '../kinds.js';

/* How long devices are away at a restart, as past jobs saw it. Pure. */

type Job = components['schemas']['Job'];

/** How long the device did not answer; null: the job did not restart it, or does not say. */
export function awaySeconds({ result }: Pick<Job, 'result'>): number | null {
  const seconds = result?.['downSeconds'];
  return typeof seconds === 'number' && seconds > 0 ? seconds : null;
}

export const secondsText = (seconds: number): string => `${numberText(Math.round(seconds))} s`;

/** `Away for 48 s at its last restart`. */
export const awayText = (kind: Job['kind'], seconds: number): string =>
  `Away for ${secondsText(seconds)} at its last ${kindTitle(kind).toLowerCase()}`;
