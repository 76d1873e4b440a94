import { expect, it } from 'vitest';
import {
  actText,
  calledText,
  isSameAct,
  readSummary,
} from '../../../../console/src/screens/access/approving/act-words.js';

/* What a second person is asked to approve, in words. */

it.each<[object, string]>([
  [{ requests: [{ method: 'POST', path: '/api/system/actions/reboot' }] }, 'restart 25 devices'],
  [{ requests: [{ method: 'POST', path: '/api/firmware/device/actions/upgrade' }] }, 'install firmware on 25 devices'],
  [{ requests: [{ method: 'PUT', path: '/api/ntp/global' }] }, 'change “NTP” on 25 devices'],
  [{ requests: [{ method: 'DELETE', path: '/api/firewall/rules/config/3' }] }, 'remove from “Firewall › Rules” on 25 devices'],
  [{ requests: [{ method: 'PUT', path: '/api/ntp/global' }, { method: 'POST', path: '/x' }] }, 'change “NTP” on 25 devices, and send 1 more call'],
  [{ requests: [{ method: 'GET', path: '/api/system/device/status' }] }, 'read “Model and serial number” of 25 devices'],
  [{ requests: [{ method: 'GET', path: '/api/wireguard/config' }] }, 'read “WireGuard” of 25 devices'],
  [{ requests: 'odd' }, 'write to 25 devices'],
  [{}, 'write to 25 devices'],
])('%j is to %s', (summary, text) => {
  expect(actText(readSummary(summary as Record<string, unknown>), 25)).toBe(text);
}); // prettier-ignore

it('knows the same act again', () => {
  const restart = { method: 'POST', path: '/api/system/actions/reboot' };
  expect(isSameAct([restart], [{ ...restart }])).toBe(true);
  expect(isSameAct([restart], [restart, restart])).toBe(false);
  expect(isSameAct([restart], [{ ...restart, method: 'PUT' }])).toBe(false);
});

it('names a service as the menus do', () => {
  expect(calledText({ method: 'PUT', path: '/api/ntp/servers/config/1' }, 'succeeded')).toBe('Changed “Time servers”');
  expect(calledText({ method: 'PUT', path: '/api/new_service/parts/config' }, 'refused')).toBe(
    'Tried to change “New service › Parts”',
  );
});
