import { describe, expect, it } from 'vitest';
import { joined, shapeOf, textsIn } from '../../../src/cli/recording/shape.js';

/* What stays of an answer: names of fields, and kinds. */

const shape = (value: unknown) => shapeOf(value, textsIn(value));

describe('the shape of an answer', () => {
  it.each([
    [null, 'null'],
    [true, 'boolean'],
    [7, 'integer'],
    [1.5, 'number'],
    ['', 'text-empty'],
    ['N/A', 'text-none'],
    ['1', 'text-flag'],
    ['-71', 'text-integer'],
    ['3.5', 'text-number'],
    ['10.1.2.3/24', 'text-ipv4'],
    ['02:1E:00:00:00:01', 'text-mac'],
    ['2026-11-28 10:00:00', 'text-time'],
    ['Riga', 'text'],
  ])('of %j is %j', (value, kind) => {
    expect(shape(value)).toBe(kind);
  });

  it('has the fields that some entries of a list lack', () => {
    expect(shape([{ rsrp: -70, band: 'B3' }, { rsrp: 'N/A' }])).toEqual({
      list: { fields: { rsrp: { any: ['integer', 'text-none'] }, band: 'text' }, sometimes: ['band'] },
      count: 2,
    });
    expect(shape([])).toEqual({ list: null, count: 0 });
  });

  it('joins lists and names of two objects', () => {
    const [one, other] = [
      shape({ ports: [{ '10.0.0.1': 1 }] }),
      shape({ ports: [{ '10.0.0.2': 'x', '10.0.0.3': 2 }] }),
    ];
    expect(joined(one, other)).toEqual({
      fields: { ports: { list: { fields: {}, names: { count: 2, of: { any: ['integer', 'text'] } } }, count: 1 } },
    });
  });

  it.each(['10.0.0.1', '02:1E:00:00:00:01', 'Pump house', 'sn1099999999', 'küche', '__proto__', 'office'])(
    'leaves out the name %j of a field',
    (name) => {
      const answer = { sections: JSON.parse(`{${JSON.stringify(name)}:{"up":true}}`) as object, id: 'OFFICE' };
      const written = JSON.stringify(shape(answer));
      expect(written).not.toContain(name);
      expect(written).toContain('"names":{"count":1,"of":{"fields":{"up":"boolean"}}}');
    },
  );

  it('keeps a field of the API that is called like a value, and leaves out names of a table', () => {
    const answer = {
      port: 'serial',
      info: { serial: '1', mac: 'x', batch: 'y' },
      hosts: { anna: 'laptop', ben: '' },
      who: ['Anna'],
    };
    expect(shape(answer)).toMatchObject({
      fields: {
        info: { fields: { serial: 'text-flag', mac: 'text', batch: 'text' } },
        hosts: { fields: {}, names: { count: 2 } },
      },
    });
  });

  it('ends where an answer is deeper or longer than any of a router', () => {
    const deep = JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`) as unknown;
    expect(JSON.stringify(shape(deep)).length).toBeLessThan(1_000);
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`a${at % 1_000}_${at}`, at]));
    expect(JSON.stringify(shape(wide)).length).toBeLessThan(20_000);
  });
});
