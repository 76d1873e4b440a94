import { expect, it } from 'vitest';
import { failedText } from '../../../../console/src/screens/jobs/kinds.js';

/* What the screen of a failed job says below the message. */

it.each([
  ['device_unreachable', 'The job tried, and could not connect to the device.'],
  ['device_refused', 'The job tried, and the device refused.'],
  ['version_not_installed', 'The job tried, and the device does not have the wanted state.'],
])('says of %s: %s', (code, text) => {
  expect(failedText(code)).toBe(text);
});
