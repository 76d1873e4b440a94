import { riskOf } from '../../../device-api/connection-risks.js';
import { devicePath } from '../../../proxy/connections/device-path.js';
import { type ConfigureChange } from './configure-spec.js';

/* Changes of a job that can disconnect a device from the gateway. Pure. */

/** A change that can disconnect the device, and why. */
export interface RiskyChange {
  readonly index: number;
  readonly path: string;
  readonly reason: string;
}

export function risksOf(changes: readonly ConfigureChange[]): RiskyChange[] {
  return changes.flatMap(({ action, path }, index) => {
    const verdict = devicePath(path);
    const plain = verdict.ok ? verdict.path.authPath.slice('/api/'.length) : path;
    const reason = riskOf(plain, action);
    return reason === null ? [] : [{ index, path, reason }];
  });
}
