import { PATHS, systemStatus } from '../../device-api/contract.js';
import { type End } from '../rows/job-state.js';
import { endWith } from './outcomes.js';
import { type StepContext } from './step-context.js';

/* The serial check: whether the device at this address is the registered one. */

/** The end of a job at whose address another device answers; null when it is the registered one, or none is registered. */
export function endIfOtherSerial(expectedSerial: string | null, serial: string): End | null {
  if (expectedSerial === null || expectedSerial === serial) return null;
  const message = 'Another device answers at this address';
  return endWith('not_executed', 'identity_mismatch', message, { expectedSerial, serial });
}

/** As `endIfOtherSerial`, for the device that answers now. */
export async function endIfOtherDevice(context: StepContext): Promise<End | null> {
  return endIfOtherSerial(context.device.serial, await serialOf(context));
}

export async function serialOf({ call }: StepContext): Promise<string> {
  return (await call({ method: 'GET', path: PATHS.systemStatus }, systemStatus)).mnfinfo.serial;
}

/** The end of a job at whose address another device answers since its effect. */
export function endOfOtherDevice(expectedSerial: string, serial: string): End {
  return endWith('unknown', 'another_device', 'Another device answers at the address now', { expectedSerial, serial });
}
