import { type Device } from '../../../src/devices/registry/device.entity.js';
import { DevicesService } from '../../../src/devices/registry/devices.service.js';
import { type TestGateway } from '../gateway.js';
import { until } from '../until.js';

/**
 * Waits until the gateway has heard of what a test wrote into the row of a device. Calls and passes look into its memory, while
 * `GET /v1/devices/{ref}` reads the row.
 */
export async function untilKnown(
  { gateway }: Pick<TestGateway, 'gateway'>,
  ref: string,
  expected: Partial<Device>,
): Promise<void> {
  const devices = gateway.app.get(DevicesService);
  const wanted = Object.entries(expected) as [keyof Device, unknown][];
  await until(async () => {
    const device = await devices.resolve(ref);
    return wanted.every(([field, value]) => device[field] === value);
  });
}
