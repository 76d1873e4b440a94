import { describe, expect, it } from 'vitest';
import { type Lock } from '../../../src/auth/access/locks.contract.js';
import { refusalOf, stopSentence } from '../../../src/auth/keys/author-judgement.js';
import {
  type CompiledSelector,
  Layer,
  type RequiredRight,
  Rights,
  type Rule,
} from '../../../src/auth/rights/rights.js';

const DEVICE = { id: 'inside' };
const OTHER = { id: 'outside' };
const selector = (text: string): CompiledSelector => ({
  text,
  matches: ({ id }) => id === text,
  sql: () => 'true',
  namesDevices: () => false,
  namesField: () => false,
});
const rule = (permissions: string[], more: Partial<Rule> = {}): Rule => ({
  effect: 'allow', permissions, selector: null, devices: null, ...more,
}); // prettier-ignore
const rights = (rules: Rule[], of: string | null = null) =>
  new Rights([new Layer('operator', [{ role: 'r', selector: of, rules }], selector)]);
const WRITE: RequiredRight = { action: 'device.call_write', path: '/api/wifi/config' };
const READ: RequiredRight = { action: 'device.call_read', path: '/api/wifi/config' };
const ALL = rights([rule(['*'])]);
const lock = {
  kind: 'operator',
  createdByName: 'Grace',
  createdAt: new Date(),
  reason: 'left',
  endsAt: null,
} as unknown as Lock;

describe('the next call of work without a caller', () => {
  it.each<[string, Rights | null, readonly RequiredRight[], { id: string } | null, Lock | null, string | null]>([
    ['by an author with all rights', ALL, [WRITE], DEVICE, null, null],
    ['by an author with all rights, on any device', ALL, [WRITE], null, null, null],
    ['by one who is disabled', null, [WRITE], DEVICE, null, 'author_gone'],
    ['by one who is disabled, to read', null, [READ], null, null, 'author_gone'],
    ['by one who is locked', ALL, [WRITE], DEVICE, lock, 'locked'],
    ['by one who is locked and disabled', null, [WRITE], DEVICE, lock, 'locked'],
    ['by one without a role', rights([]), [READ], null, null, 'starter_may_not'],
    ['by one who may only read', rights([rule(['device.call_read'])]), [WRITE], DEVICE, null, 'starter_may_not'],
    ['by one who may only read, to read', rights([rule(['device.call_read'])]), [READ], DEVICE, null, null],
    ['by one who may only read, to read and write', rights([rule(['device.call_read'])]), [READ, WRITE], null, null, 'starter_may_not'],
    ['outside of the selector of a role', rights([rule(['*'])], 'inside'), [WRITE], OTHER, null, 'starter_may_not'],
    ['inside of the selector of a role', rights([rule(['*'])], 'inside'), [WRITE], DEVICE, null, null],
    ['on a device that a rule denies', rights([rule(['*']), rule(['device.read'], { effect: 'deny', selector: 'inside' })]), [WRITE], DEVICE, null, 'starter_may_not'],
    ['on another device than a rule denies', rights([rule(['*']), rule(['device.read'], { effect: 'deny', selector: 'inside' })]), [WRITE], OTHER, null, null],
    ['in all, while one device is denied', rights([rule(['*']), rule(['device.read'], { effect: 'deny', selector: 'inside' })]), [WRITE], null, null, null],
    ['by one who may no longer write at all', rights([rule(['*']), rule(['device.call_write'], { effect: 'deny' })]), [WRITE], null, null, 'starter_may_not'],
  ])('%s', (_, has, needs, device, locked, code) => {
    expect(refusalOf({ name: 'Ada', rights: has }, needs, device, locked)?.code ?? null).toBe(code);
  }); // prettier-ignore

  it('stops with a sentence that names the person who stopped it, as far as that is known', () => {
    const author = { name: 'Ada', rights: null };
    const [gone, locked] = [refusalOf(author, [WRITE], null, null)!, refusalOf(author, [WRITE], null, lock)!];
    const lost = refusalOf({ name: 'Ada', rights: rights([]) }, [WRITE], null, null)!;
    expect([stopSentence(gone, 'Grace'), stopSentence(gone, null)]).toEqual([
      'its author is disabled, or their key was revoked, by Grace',
      'its author is disabled, or their key was revoked',
    ]);
    expect(stopSentence(lost, 'Grace')).toBe('its author has lost the permission device.call_write, by Grace');
    expect(stopSentence(locked, null)).toBe('locked by Grace: left');
  });
});
