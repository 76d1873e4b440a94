import { describe, expect, it } from 'vitest';
import { valueCount, valueGroups, valuesWith } from '../../../../console/src/screens/device-status/scalars.js';

describe('all values of a device', () => {
  it('are in groups by the parts of the answer, so that no name repeats its part', () => {
    const answer = { mnfinfo: { serial: '1', hwver: '2' }, static: { release: { kernel: '5.10' } }, online: true };
    expect(valueGroups(answer, 'Part', 200)).toEqual([
      {
        title: 'Manufacturer',
        values: [
          ['Serial', '1'],
          ['Hardware version', '2'],
        ],
      },
      { title: 'System', values: [['Release › Kernel', '5.10']] },
      { title: '', values: [['Online', 'yes']] },
    ]);
  });

  it('of a list have a group for each entry', () => {
    const modems = [{ rsrp: -97.123 }, { rsrp: -80, rxbytes: 1_795_986_114 }];
    expect(valueGroups(modems, 'Modem', 200)).toEqual([
      { title: 'Modem 1', values: [['RSRP', '−97.12 dBm']] },
      {
        title: 'Modem 2',
        values: [
          ['RSRP', '−80 dBm'],
          ['Received', '1.8 GB'],
        ],
      },
    ]);
  });

  it('have units, at most two digits, and times instead of seconds', () => {
    const usage = {
      memory: { ram_free: 12.3456, ram_percentage: 40 },
      load: { min1: 0.123_456 },
      localtime: 1_795_986_114,
    };
    const [memory, load, alone] = valueGroups(usage, 'Part', 200);
    expect(memory?.values.map(([, text]) => text)).toEqual(['12.35 MiB', '40 %']);
    expect(load?.values).toEqual([['1 minute', '0.12']]);
    expect(alone?.values[0]?.[1]).toMatch(/^29 Nov 2026, |^30 Nov 2026, /);
  });

  it('of counted bytes have a row for each day', () => {
    const [days] = valueGroups([[1_795_986_114, 2_000_000, 1_000]], 'Row', 200);
    expect(days?.values[0]?.[0]).toContain('Nov 2026');
    expect(days?.values[0]?.[1]).toBe('2.0 MB received, 1.0 kB sent');
  });

  it('have MAC addresses in one form, and nothing else that looks like one', () => {
    const [part] = valueGroups({ mnfinfo: { mac: '021E00000000', serial: '110000000000', macEth: 'none' } }, 'Part', 9);
    expect(part?.values.map(([, text]) => text)).toEqual(['02:1e:00:00:00:00', '110000000000', 'none']);
  });

  it('are found by their names, their groups or as they are', () => {
    const groups = valueGroups(
      { memory: { free: 'much', total: 'more' }, system: { release: 'Free 5.10' } },
      'Part',
      9,
    );
    const found = (text: string) => valuesWith(groups, text).map(({ title, values }) => [title, values.length]);
    expect(found('')).toEqual([
      ['Memory', 2],
      ['System', 1],
    ]);
    expect(found(' FREE ')).toEqual([
      ['Memory', 1],
      ['System', 1],
    ]);
    expect(found('memory more')).toEqual([['Memory', 1]]);
    expect(found('other')).toEqual([]);
    expect(valueCount(valuesWith(groups, 'free'))).toBe(2);
  });

  it('end at the limit and at a depth, whatever the device answers', () => {
    const deep = JSON.parse('{"a":'.repeat(50) + '1' + '}'.repeat(50)) as unknown;
    expect(valueGroups(deep, 'Part', 200)).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at]));
    expect(valueGroups(many, 'Part', 200)[0]?.values).toHaveLength(200);
  });
});
