import { type JobKind } from '../../jobs/kind-api/kind.js';
import { type DeviceValues, fillIn } from './device-values.js';

/** The spec of a rollout for the job on one device, or the reason why the device gets none. Pure. */
export type DeviceSpec = { readonly spec: unknown } | { readonly reason: 'value_missing' | 'spec_invalid' };

export function specFor(kind: JobKind, spec: unknown, device: DeviceValues): DeviceSpec {
  const { spec: filled, missing } = fillIn(spec, device);
  if (missing.length > 0) return { reason: 'value_missing' };
  const parsed = kind.spec.safeParse(filled);
  return parsed.success ? { spec: parsed.data } : { reason: 'spec_invalid' };
}
