import { describe, expect, it } from 'vitest';
import { fileChanges } from '../../../../console/src/screens/backups/file-changes.js';

const lines = (...texts: string[]) =>
  texts.map((text) => ({ is: text.startsWith('+') ? ('+' as const) : ('-' as const), text: text.slice(1) }));

describe('the lines of a settings file that differ', () => {
  it('are settings with both values, where an option was replaced', () => {
    const changed = lines("-\toption hostname 'a.example'", "-\toption port '123'", "+\toption hostname 'b.example'");
    expect(fileChanges('etc/config/ntpclient', changed)).toEqual([
      { what: 'Host name', one: 'a.example', other: 'b.example' },
      { what: 'Port', one: '123', other: 'not there' },
    ]);
  });

  it('do not join options of two places', () => {
    const apart = lines("-\toption hostname 'a'", "+\toption port '1'", "-\toption port '2'", "+\toption hostname 'b'");
    expect(fileChanges('etc/config/ntpclient', apart).map(({ what, one, other }) => [what, one, other])).toEqual([
      ['Host name', 'a', 'not there'],
      ['Port', 'not there', '1'],
      ['Port', '2', 'not there'],
      ['Host name', 'not there', 'b'],
    ]);
  });

  it('may be sections, JSON, or any text', () => {
    const others = lines("+config server 'backup'", '-  "hostname": "a",', '+  "hostname": "b"', '+  },', '+# by hand');
    expect(fileChanges('etc/config/ntp', others).map(({ what, one, other }) => [what, one, other])).toEqual([
      ['Section server backup', 'not there', 'there'],
      ['Host name', 'a', 'b'],
      ['Line', 'not there', '# by hand'],
    ]);
  });
});
