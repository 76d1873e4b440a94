import { describe, expect, it } from 'vitest';
import { instrumentsOf, uptimeText } from '../../../console/src/screens/device-status/instruments.js';

const modem = { primary: true, rsrp: -81, rsrq: -9, sinr: '14', rssi: -55, oper: 'Telia', conntype: '4G (LTE)' };

describe('instruments', () => {
  it('have the values that the device said, with their meaning', () => {
    const found = instrumentsOf({
      system: {
        static: { cpu_count: 4 },
        ports: [
          { name: 'LAN', position: 1 },
          { name: 'WAN', position: 2 },
        ],
      },
      usage: {
        memory: { ram_free: 64, ram_total: 256, flash_percentage: 12 },
        load: { min1: 0.5 },
        uptime_seconds: 90_061,
      },
      modems: [{ ...modem, sim_count: 2, active_sim: 2, band: 'N/A', temperature: 41 }],
      interfaces: [{ area_type: 'wan', network_type: 'wired', is_up: false }],
      position: { latitude: '54.687200', longitude: '25.279700', fix_status: '1', satellites: '9' },
      month: [
        [1, 1_000, 500],
        [2, 10, 5],
      ],
    });
    expect(found).toEqual({
      signal: { bars: 3, word: 'good', dbm: -81, of: 'RSRP', rsrq: -9, sinr: 14 },
      mobile: {
        operator: 'Telia',
        type: '4G (LTE)',
        band: null,
        state: null,
        simCount: 2,
        activeSim: 2,
        simState: null,
      },
      memory: { usedPercent: 75, totalMiB: 256 },
      flash: { usedPercent: 12, totalMiB: null },
      load: { min1: 0.5, cores: 4 },
      uptimeSeconds: 90_061,
      temperature: 41,
      jacks: [
        { name: 'LAN 1', isUp: null, isFault: false },
        { name: 'WAN', isUp: false, isFault: true },
      ],
      position: { latitude: 54.6872, longitude: 25.2797, satellites: 9 },
      dataMonth: 1_515,
    });
  });

  it('take a socket without a link for a fault only where it is the way out', () => {
    const system = { ports: [{ name: 'WAN', position: 1 }] };
    const wired = { area_type: 'wan', network_type: 'wired', is_up: false };
    const mobile = { area_type: 'wan', network_type: 'mobile', is_up: true };
    expect(instrumentsOf({ system, interfaces: [wired] }).jacks).toMatchObject([{ isUp: false, isFault: true }]);
    expect(instrumentsOf({ system, interfaces: [wired, mobile] }).jacks).toMatchObject([
      { isUp: false, isFault: false },
    ]);
    expect(instrumentsOf({ system }).jacks).toMatchObject([{ isUp: null, isFault: false }]);
  });

  it('are empty where the device has nothing, or says something else', () => {
    const none = instrumentsOf({});
    const hostile = instrumentsOf({ system: 'x', usage: [1], modems: { a: 1 }, interfaces: null, month: 'y' });
    expect(hostile).toEqual(none);
    expect(none).toMatchObject({ signal: null, mobile: null, memory: null, jacks: [], position: null });
    expect(instrumentsOf({ position: { latitude: '0.000000', longitude: '0.000000' } }).position).toBe('no fix');
    expect(instrumentsOf({ modems: [{ rsrp: 'N/A', rssi: 5e9 }] }).signal).toBeNull();
  });

  it.each([
    [{ rsrp: -79 }, 4, 'excellent'],
    [{ rsrp: -100 }, 2, 'fair'],
    [{ rsrp: -110 }, 1, 'weak'],
    [{ rsrp: -111 }, 0, 'no service'],
    [{ rsrp: 'N/A', signal: -75 }, 3, 'good'],
  ])('show %j as %i bars: %s', (values, bars, word) => {
    expect(instrumentsOf({ modems: [values] }).signal).toMatchObject({ bars, word });
  });
});

describe('the time that a device runs', () => {
  it.each([
    [30, 'less than a minute'],
    [60, '1 minute'],
    [7_380, '2 hours 3 minutes'],
    [86_400, '1 day'],
    [1_040_000, '12 days'],
    [1_054_400, '12 days 4 hours'],
  ])('of %i s is %s', (seconds, text) => {
    expect(uptimeText(seconds)).toBe(text);
  });
});
