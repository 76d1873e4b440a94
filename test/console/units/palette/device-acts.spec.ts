import { expect, it } from 'vitest';
import { actIn } from '../../../../console/src/shell/palette/device-acts.js';

const ALL = ['job.start', 'device.manage', 'lock.manage', 'device.call_read', 'backup.read'];
const acts = (typed: string, permissions = ALL) => {
  const found = actIn(typed, permissions);
  return found && [found.act.verb, found.device];
};

it('takes the first word for what is to be done, and the rest for the device', () => {
  expect(acts('restart vilnius-pump-01')).toEqual(['Restart', 'vilnius-pump-01']);
  expect(acts('Back up north gate 3')).toEqual(['Back up', 'north gate 3']);
  expect(acts('upd pump')).toEqual(['Update the firmware of', 'pump']);
});

it('prefers the whole word, and offers nothing without a device, a known word or the right', () => {
  expect(acts('backups pump')).toEqual(['Backups of', 'pump']);
  expect(['restart', 'restart ', 'xyz pump', 're pump'].map((typed) => acts(typed))).toEqual([null, null, null, null]);
  expect(acts('restart pump', ['device.manage'])).toBeNull();
});
