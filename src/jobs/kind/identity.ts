import { PATHS, systemStatus } from '../../device-api/contract.js';
import { type Failure } from '../rows/job-state.js';
import { type StepContext } from './kind.js';

/** Whether the device at this address is the one that the registry means; null when it is, or when the registry does not know. */
export async function identity({ call, device }: StepContext): Promise<Failure | null> {
  const { mnfinfo } = await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus);
  if (device.serial === null || device.serial === mnfinfo.serial) return null;
  return {
    code: 'identity_mismatch',
    message: 'Another device answers at this address',
    facts: { expectedSerial: device.serial, serial: mnfinfo.serial },
  };
}
