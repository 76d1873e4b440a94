import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Device } from '../../src/devices/device.entity.js';
import { Transport } from '../../src/proxy/transport.js';
import { FakeClock } from '../support/fake-clock.js';

/* A road is made for a row, and serves other readings of it as far as they agree on where the device is and who it is. */

const device = (trustPin: string | null, version = 1) =>
  ({ id: 'a', baseUrl: 'https://192.0.2.1', trust: 'pin', trustPin, trustCa: null, version }) as Device;

describe('the road to a device', () => {
  let transport: Transport;

  beforeEach(() => {
    const devices = {
      takePin: () => Promise.resolve(),
      target: () => Promise.reject(new Error('nobody is met here')),
      onChange: () => () => undefined,
    };
    transport = new Transport({ policy: () => ({ loopback: true }) as never }, devices, new FakeClock());
  });
  afterEach(() => transport.close());

  const roadFor = (row: Device) => {
    const lane = transport.lane(row);
    transport.release(lane);
    return lane.road;
  };

  it('is the same for all readings of a row', () => {
    expect(roadFor(device('sha256/one'))).toBe(roadFor(device('sha256/one')));
  });

  it('that met the device serves rows that were read before that and after it, and none that has lost the pin', () => {
    const road = roadFor(device(null));
    Object.assign(road, { pin: 'sha256/one', metIn: 2 }); // as the first contact does
    expect(roadFor(device(null))).toBe(road);
    expect(roadFor(device('sha256/one', 2))).toBe(road);
    expect(roadFor(device(null))).toBe(road);
    expect(roadFor(device(null, 3))).not.toBe(road);
  });

  it('does not keep the pin that a person has taken away', () => {
    const road = roadFor(device('sha256/one'));
    const other = roadFor(device(null));
    expect(other).not.toBe(road);
    expect(other.pin).toBeNull();
  });
});
