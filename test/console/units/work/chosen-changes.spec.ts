import { describe, expect, it } from 'vitest';
import { withSettings } from '../../../../console/src/screens/job-forms/changes/chosen-changes.js';
import { nowText, settingsAt } from '../../../../console/src/screens/templates/draft/found-settings.js';

const row = (section: string, options: Record<string, unknown>) => ({
  deviceId: 'a',
  device: 'pump-1',
  site: '',
  section,
  options,
  readAt: '2026-06-01T12:00:00.000Z',
  changedAt: null,
});

const BLANK = { action: 'update', path: '', data: {} };

describe('settings that are chosen for a job', () => {
  const servers = settingsAt('/api/ntp/servers/config', [
    row('cfg 1', { id: 'cfg 1', name: 'first', hostname: 'x.example', port: '123' }),
    row('2', { id: '2', name: 'second', hostname: 'y.example' }),
  ]);
  const record = settingsAt('/api/ntp/global', [row('', { interval: '3600' })]);
  const one = (option: string, section: string) =>
    [...servers, ...record].find((known) => known.option === option && known.section === section)!;

  it('are changes of their sections, with what the device has, in place of the blank one', () => {
    const chosen = [one('hostname', 'cfg 1'), one('port', 'cfg 1'), one('interval', '')];
    expect(withSettings([BLANK], chosen)).toEqual([
      { action: 'update', path: '/api/ntp/servers/config/cfg%201', data: { hostname: 'x.example', port: '123' } },
      { action: 'update', path: '/api/ntp/global', data: { interval: '3600' } },
    ]);
  });

  it('join a change of the same section, and leave what was typed there', () => {
    const typed = {
      action: 'update',
      path: '/api/ntp/servers/config/2',
      data: { hostname: 'mine.example', port: '1' },
    };
    const removal = { action: 'delete', path: '/api/ntp/servers/config/2' };
    expect(withSettings([removal, typed], [one('hostname', '2')])).toEqual([removal, typed]);
  });

  it('are of two sections, where the device has two of one name', () => {
    const both = settingsAt(
      '/api/wireless/interfaces/config',
      [row('a', { id: 'a', ssid: 'x', hidden: '0' }), row('b', { id: 'b', ssid: 'x', hidden: '0' })],
      true,
    );
    const hidden = both.filter(({ option }) => option === 'hidden');
    expect(withSettings([], hidden).map(({ path }) => path)).toEqual([
      '/api/wireless/interfaces/config/a',
      '/api/wireless/interfaces/config/b',
    ]);
  });

  it('say what the device has', () => {
    expect(nowText(one('hostname', '2'))).toBe('now y.example');
    expect(nowText({ ...one('hostname', '2'), values: [] })).toBe('not set now');
  });
});
