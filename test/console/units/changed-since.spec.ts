import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../../console/src/api/changed-since.js';

const LABELS = { site: 'Site', tags: 'Tags', note: 'Note', enabled: 'Enabled', rules: 'Rules' };
const DEVICE = { site: 'vilnius', tags: ['pump'], note: null, enabled: true, rules: [{ effect: 'allow' }], seenAt: 1 };

describe('what changed since a form was opened', () => {
  it('is nothing where only other fields differ', () =>
    expect(changesBetween(DEVICE, { ...DEVICE, seenAt: 2, note: undefined }, LABELS)).toEqual([]));

  it('is told with what is there now', () =>
    expect(
      changesBetween(
        DEVICE,
        { site: '', tags: ['pump', 'north'], note: 'n'.repeat(200), enabled: false, rules: [] },
        LABELS,
      ),
    ).toEqual([
      'Site: now empty.',
      'Tags: now “pump, north”.',
      'Note: changed.',
      'Enabled: now off.',
      'Rules: now empty.',
    ]));
});
