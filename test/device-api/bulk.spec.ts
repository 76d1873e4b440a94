import { describe, expect, it } from 'vitest';
import { joinBulk, readBulk } from '../../src/device-api/bulk.js';

const item = (index: number) => ({ endpoint: `/api/x/config/${index}`, method: 'GET' as const });
const ok = (index: number) => ({ success: true, data: { id: String(index) } });

describe('joining a bulk answer', () => {
  it('gives each item its own envelope, in order', () => {
    const refusal = { success: false, errors: [{ code: 113 }] };
    expect(joinBulk({ success: true, data: [ok(0), refusal, ok(2)] }, 3)).toEqual([ok(0), refusal, ok(2)]);
  });

  it('does not guess whose answers are whose when their number is wrong', () => {
    expect(joinBulk({ success: true, data: [ok(0)] }, 2)).toEqual([null, null]);
    expect(joinBulk({ success: true, data: [ok(0), ok(1), ok(2)] }, 2)).toEqual([null, null]);
  });

  it.each([null, undefined, 'text', 7, {}, { data: {} }, { success: false, errors: [] }])(
    'knows nothing of any item from %j',
    (body) => {
      expect(joinBulk(body, 2)).toEqual([null, null]);
    },
  );

  it('knows nothing of an item whose place holds no envelope', () => {
    expect(joinBulk({ data: [ok(0), 'x', { success: 'yes' }] }, 3)).toEqual([ok(0), null, null]);
  });
});

describe('reading a bulk request', () => {
  it('takes items and refuses what is none', () => {
    expect(readBulk({ data: [item(1)] })).toEqual([item(1)]);
    for (const bad of [null, [], {}, { data: 'x' }, { data: [{}] }, { data: [{ endpoint: '/x', method: 'get' }] }]) {
      expect(readBulk(bad)).toBeNull();
    }
  });
});
