import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApi } from '../support/test-api.js';
import { type Fleet } from '../../src/simulator/fleet.js';
import { startOwnFleet } from '../support/devices/own-fleet.js';
import { startTestGateway, type TestGateway } from '../support/gateway.js';
import { createRollout, importFleet, untilRollout, type RolloutAnswer } from '../support/jobs/rollout-world.js';
import { until } from '../support/until.js';

/** Some seconds; a machine that is busy takes its time. */

/** A canary of healthy devices, then waves in which three of ten refuse the change. */
const CANARY = 5;
const WAVE = 20;
const DEVICES = CANARY + 2 * WAVE;

const CONCURRENCY = 6;
const STOP = { percent: 15, minimum: 10 };
const TUNNELS = '/api/wireguard/config';

/** What the sentence says. */
const SENTENCE = /^(\d+) of (\d+) devices failed \(([\d.]+) %\), and 15 % stop this rollout\.$/;

describe('a rollout that meets 30 % bad devices after its canary', () => {
  let test: TestGateway;
  let fleet: Fleet;
  let operator: TestApi;
  let stopped: RolloutAnswer;

  const isBad = (index: number) => index >= CANARY && [2, 5, 8].includes(index % 10);
  /** Devices to which something was done, and those that were asked for it, by the ledger. */
  const changed = () => fleet.devices.filter(({ index }) => (fleet.ledger.summary(index).effects['create'] ?? 0) > 0);
  const asked = () => new Set(fleet.ledger.entries({ method: 'POST', path: TUNNELS }).map(({ device }) => device));

  beforeAll(async () => {
    const [early, rest] = ['early', 'rest'].map((tag) => ({ devices: WAVE, tags: [tag] }));
    fleet = await startOwnFleet({ devices: CANARY, tags: ['canary'], groups: [early!, rest!] });
    test = await startTestGateway();
    operator = test.as('operator');
    await importFleet(test, fleet);
    for (const { index, faults } of fleet.devices) {
      if (isBad(index)) faults.add({ kind: 'error', method: 'POST', path: TUNNELS, status: 422, code: 113 });
    }
    const { id } = await createRollout(operator, {
      kind: 'call',
      spec: { method: 'POST', path: TUNNELS, data: { id: 'site', listen_port: '51820' } },
      selector: 'all',
      policy: {
        waves: [{ take: { tag: 'canary' }, successPercent: 100 }, { take: { tag: 'early' } }, { take: 'rest' }],
        stop: STOP,
        concurrency: CONCURRENCY,
        expectedMinutes: 0,
      },
    });
    await untilRollout(operator, id, 'paused');
    // What was under way comes to its end.
    await until(async () => {
      stopped = await operator.get<RolloutAnswer>(`/v1/rollouts/${id}`);
      return (stopped.counts['queued'] ?? 0) + (stopped.counts['running'] ?? 0) === 0;
    });
  });
  afterAll(async () => {
    await test.close();
    await fleet.close();
  });

  it('stops within the wave, and nothing of the next one is ever asked', () => {
    expect(stopped.waves!.map(({ state }) => state)).toEqual(['passed', 'running', 'waiting']);
    expect(stopped.waves![2]!.counts).toMatchObject({ waiting: WAVE });
    expect([...asked()].filter((index) => index >= CANARY + WAVE)).toEqual([]);
  });

  it('says why in one sentence, whose numbers are those of the moment', async () => {
    expect(stopped.pause).toEqual({ cause: 'error_threshold', sentence: expect.stringMatching(SENTENCE) });
    const [failed, finished, share] = SENTENCE.exec(stopped.pause!.sentence)!.slice(1).map(Number);
    expect(share).toBeCloseTo((failed! * 100) / finished!, 1);
    expect(share).toBeGreaterThanOrEqual(STOP.percent);
    expect(finished).toBeGreaterThanOrEqual(STOP.minimum);
    // Past the threshold by no more than what was in flight.
    expect(stopped.counts['succeeded']! + stopped.counts['failed']!).toBeLessThanOrEqual(finished! + CONCURRENCY);
    const report = await operator.get<{ pause: object; needsPerson: object[] }>(`/v1/rollouts/${stopped.id}/report`);
    expect(report.pause).toEqual(stopped.pause);
    expect(report.needsPerson).toHaveLength(stopped.counts['failed']!);
  });

  it('counts what the ledger of the devices holds', () => {
    const done = changed().map(({ index }) => index);
    expect(done.filter(isBad)).toEqual([]);
    expect(done.map((index) => fleet.ledger.summary(index).effects['create'])).toEqual(done.map(() => 1));
    expect(stopped.counts).toMatchObject({
      succeeded: done.length,
      failed: [...asked()].filter(isBad).length,
      unknown: 0,
      waiting: DEVICES - asked().size,
    });
  });
});
