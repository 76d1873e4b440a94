import { describe, expect, it } from 'vitest';
import { areaPath, meanShare, topOf } from '../../../console/src/screens/overview/availability-area.js';
import { sparkPath } from '../../../console/src/screens/devices/sparklines/spark-path.js';

const point = (devices: number, online: number) => ({ at: '2026-11-27T12:00:00.000Z', devices, online });

describe('the area of devices that are online', () => {
  it('has all devices at its upper edge, and none at its lower one', () => {
    const points = [point(0, 0), point(10, 5), point(10, 10)];
    expect(topOf(points)).toBe(10);
    expect(areaPath(points, 'online')).toBe('M0 100L0.0 100.0L240.0 50.0L480.0 0.0L480 100Z');
    expect(meanShare(points)).toBe(0.75);
  });

  it('has no share where no device was checked', () => {
    expect(meanShare([point(0, 0)])).toBeNull();
  });
});

describe('the line of a small chart', () => {
  it('reaches from the lowest to the highest value, and is broken where there is none', () => {
    expect(sparkPath([-100, -90, null, -80], 40, 20)).toBe('M5.0 18.0L15.0 10.0M30.0 2.0h10.0');
  });

  it('is flat where the value does not change', () => {
    expect(sparkPath([5, 5], 40, 20)).toBe('M10.0 10.0L30.0 10.0');
  });
});
