import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.js';
import { postgresUrlFault } from '../../src/platform/addresses/written-address.js';

describe('the address of a database', () => {
  it.each([
    'postgres://gate:secret@db:5432/fleetgate',
    'postgresql://gate@db.example/fleetgate?sslmode=verify-full',
    'postgres://gate:a%2Cb%40c@[::1]:5432/fleetgate',
    'postgres://gate:a,b@db/fleetgate',
    'postgres://db/fleetgate?host=db',
  ])('may be %s', (text) => {
    expect(postgresUrlFault(text)).toBeNull();
  });

  it.each([
    ['postgres://gate:secret@one:5432,two:5432/fleetgate', 'several hosts'],
    ['postgres://gate:secret@one,two/fleetgate', 'several hosts'],
    ['postgres://one,two', 'several hosts'],
    ['postgres://gate@[::1],[::2]/fleetgate', 'several hosts'],
    ['postgres:///fleetgate?host=one,two', 'several hosts'],
    ['postgres://gate@one/fleetgate?hostaddr=10.0.0.1,10.0.0.2', 'several hosts'],
    ['postgres://gate@one/fleetgate?host=two', 'two hosts'],
    ['postgres://gate@one/fleetgate?target_session_attrs=read-write', 'target_session_attrs'],
    ['postgres://gate:a#b@one/fleetgate', '%-encoding'],
    ['mysql://gate@one/fleetgate', 'must be an address such as'],
    ['host=one,two dbname=fleetgate', 'must be an address such as'],
    ['', 'must be an address such as'],
  ])('is refused as %s, without its password', (text, says) => {
    const fault = postgresUrlFault(text)!;
    expect(fault).toContain(says);
    expect(fault).not.toContain('secret');
  });

  it('is refused by each setting that has one', () => {
    for (const name of ['DATABASE_URL', 'DATABASE_OWNER_URL', 'DATABASE_DIRECT_URL']) {
      const read = () => readConfig({ [name]: 'postgres://u:p@one,two/fleetgate' });
      expect(read).toThrow(`${name}: names several hosts`);
    }
  });
});
