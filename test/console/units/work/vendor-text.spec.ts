import { expect, it } from 'vitest';
import { vendorText } from '../../../../console/src/screens/job-forms/vendor-text.js';

const NOW = 'RUT9M_R_00.07.16.3';
const offered = (version: string) => ({ version, at: '2026-06-01T12:00:00.000Z' });
const ago = () => '3 days ago';

it.each([
  [NOW, offered('RUT9M_R_00.07.24.2'), 'Now 07.16.3 → 07.24.2, the newest of the vendor 3 days ago'],
  [NOW, offered(NOW), 'Now 07.16.3, the newest of the vendor 3 days ago: nothing to do'],
  [
    NOW,
    null,
    'pump-1 (RUT956) runs 07.16.3. The vendor’s newest for its model is not known yet: the device asks when the job starts',
  ],
  [NOW, undefined, 'Now 07.16.3'],
  [null, offered('RUT9M_R_00.07.24.2'), '07.24.2, the newest of the vendor 3 days ago'],
])('a device with %s, offered %j: %s', (firmware, newest, text) => {
  expect(vendorText({ name: 'pump-1', model: 'RUT956', firmware }, newest, ago)).toBe(text);
});
