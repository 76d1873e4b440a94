import { describe, expect, it } from 'vitest';
import {
  contentsTables,
  diffTables,
  explainTables,
  rolesInWords,
  summaryTables,
  systemTables,
  wavesByNumber,
} from '../../src/cli/nouns/shown.js';
import { countsText } from '../../src/cli/output/cells.js';

const SHOWN = {
  contentsTables,
  diffTables,
  explainTables,
  rolesInWords,
  summaryTables,
  systemTables,
  wavesByNumber,
};

describe('answers with lists in lists', () => {
  it.each<readonly [keyof typeof SHOWN, Record<string, unknown>, Record<string, unknown>]>([
    [
      'summaryTables',
      { devices: 3, groups: [{ by: 'model', values: [{ value: null, devices: 3 }], others: 2 }] },
      {
        devices: 3,
        counts: [
          { by: 'model', value: '(none)', devices: 3 },
          { by: 'model', value: 'and 2 more values', devices: null },
        ],
      },
    ],
    ['summaryTables', { devices: 0, groups: [] }, { devices: 0, counts: [] }],
    [
      'systemTables',
      {
        processes: [
          {
            id: 'a',
            role: 'all',
            checks: { queue: 'ok', database: 'unavailable' },
            sweepers: [{ name: 'locks', outcome: 'done' }],
          },
        ],
      },
      { processes: [{ role: 'all', checks: 'not ok: database', tasks: 'all 1 done', id: 'a' }] },
    ],
    [
      'systemTables',
      { processes: [{ id: 'a', checks: { queue: 'ok' }, sweepers: [{ name: 'locks', outcome: 'failed' }] }] },
      { processes: [{ checks: 'all 1 ok', tasks: 'not done: locks', id: 'a' }] },
    ],
    [
      'diffTables',
      {
        files: [
          {
            name: 'etc/x',
            change: 'changed',
            lines: [
              { is: '-', text: 'a' },
              { is: '+', text: 'b' },
            ],
          },
          { name: 'etc/y', change: 'added', lines: null },
        ],
      },
      {
        files: [
          { name: 'etc/x', change: 'changed', added: 1, removed: 1 },
          { name: 'etc/y', change: 'added', added: 'not shown', removed: 'not shown' },
        ],
        lines: [
          { file: 'etc/x', is: '-', text: 'a' },
          { file: '', is: '+', text: 'b' },
        ],
      },
    ],
    [
      'contentsTables',
      { files: [{ name: 'etc/x', bytes: 3, lines: ['a', 'b'] }] },
      {
        files: [{ name: 'etc/x', bytes: 3, lines: 2 }],
        lines: [
          { file: 'etc/x', text: 'a' },
          { file: '', text: 'b' },
        ],
      },
    ],
    [
      'contentsTables',
      { files: [{ name: 'x', bytes: 3, lines: null }] },
      { files: [{ name: 'x', bytes: 3, lines: 'not shown' }], lines: [] },
    ],
    [
      'rolesInWords',
      { name: 'Bob', roles: [{ role: 'viewer' }, { role: 'operator', selector: 'site:kaunas' }] },
      { name: 'Bob', roles: 'viewer, operator on site:kaunas' },
    ],
    [
      'wavesByNumber',
      { name: 'june', waves: [{ ordinal: 0, name: 'lab' }] },
      { name: 'june', waves: [{ wave: 1, name: 'lab' }] },
    ],
    [
      'wavesByNumber',
      { name: 'june', policy: { waves: [{ name: 'lab', take: 'rest' }, { take: 'rest' }], perSite: 2 } },
      {
        name: 'june',
        policy: {
          waves: [
            { name: 'lab', take: 'rest' },
            { name: 'wave 2', take: 'rest' },
          ],
          perSite: 2,
        },
      },
    ],
    ['wavesByNumber', { name: 'june' }, { name: 'june' }],
    [
      'explainTables',
      { because: '`a` is allowed', rules: [{ role: 'x', selectors: [], paths: null }] },
      { because: 'a is allowed', rules: [{ role: 'x', devices: 'all', paths: 'all' }] },
    ],
  ])('%s: %j', (name, answer, expected) => {
    expect(SHOWN[name](answer)).toEqual(expected);
  });

  it.each<readonly [unknown, string | null]>([
    [{ succeeded: 2, failed: 1, waiting: 0 }, '2 succeeded, 1 failed'],
    [{ succeeded: 0 }, ''],
    [{ would_call: 3 }, '3 would call'],
    [{ mode: 'pin' }, null],
    [[1], null],
    [null, null],
  ])('counts in %j are %j', (value, text) => expect(countsText(value)).toBe(text));
});
