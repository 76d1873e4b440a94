import { expect, it } from 'vitest';
import { RecentRequests, trafficOf } from '../../src/platform/recent-requests.js';

it('says how many requests a second there were in the last minute, and how long 99 of 100 took at most', () => {
  const recent = new RecentRequests();
  expect(trafficOf([recent.read(1_000)], 1_000)).toEqual({ perSecond: 0, p99Ms: null });
  for (let at = 0; at < 60_000; at += 100) recent.add(at % 10_000 === 0 ? 900 : 8, at);
  const { perSecond, p99Ms } = trafficOf([recent.read(59_999)], 59_999);
  expect(perSecond).toBeCloseTo(10, 1);
  expect(p99Ms).toBeGreaterThan(7);
  expect(p99Ms).toBeLessThan(10);
  for (let at = 0; at < 10; at++) recent.add(900, 59_999);
  expect(trafficOf([recent.read(59_999)], 59_999).p99Ms).toBeGreaterThan(800);
});

it('forgets what is older than a minute, also after a pause', () => {
  const recent = new RecentRequests();
  recent.add(5, 0);
  expect(trafficOf([recent.read(59_000)], 59_000).perSecond).toBeGreaterThan(0);
  expect(trafficOf([recent.read(60_000)], 60_000)).toEqual({ perSecond: 0, p99Ms: null });
  recent.add(1_000_000, 600_000);
  expect(trafficOf([recent.read(600_000)], 600_000).p99Ms).toBeGreaterThan(100_000);
});
