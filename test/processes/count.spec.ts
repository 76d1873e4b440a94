import { describe, expect, it } from 'vitest';
import { connectionsNeeded, tooManyProcesses } from '../../src/database/connection/connection-budget.js';
import { readConfig } from '../../src/platform/config.js';
import { childConfig, processCount } from '../../src/machine-processes.js';

/* How many processes a machine gets, what each of them is set to, and what the database must allow. */

const config = (settings: Record<string, string> = {}) => readConfig(settings);

describe('the number of processes', () => {
  it.each([
    ['all', 1, 1],
    ['all', 2, 2],
    ['all', 3, 2],
    ['all', 4, 3],
    ['all', 64, 3],
    ['api', 8, 1],
    ['worker', 8, 1],
  ])('of ROLE=%s on %i cores is %i where nothing else is set', (ROLE, cores, count) => {
    expect(processCount(config({ ROLE }), cores)).toBe(count);
  });

  it('is what PROCESSES says, up to the cores and one that runs jobs', () => {
    expect(processCount(config({ PROCESSES: '1' }), 8)).toBe(1);
    expect(processCount(config({ PROCESSES: '9' }), 8)).toBe(9);
    expect(processCount(config({ PROCESSES: '8', ROLE: 'api' }), 8)).toBe(8);
    expect(() => processCount(config({ PROCESSES: '10' }), 8)).toThrow(
      'PROCESSES is 10, and this machine has 8 cores: set at most 9',
    );
    expect(() => processCount(config({ PROCESSES: '9', ROLE: 'api' }), 8)).toThrow('set at most 8');
    expect(() => processCount(config({ PROCESSES: '2', ROLE: 'worker' }), 8)).toThrow('Remove PROCESSES');
  });
});

describe('a process among several', () => {
  const task = {
    id: 'x',
    role: 'api',
    isFirst: true,
    place: 1,
    hasWorker: true,
    processes: 3,
    port: 9_000,
    address: '127.0.0.1',
    databaseUrl: null,
  } as const;

  it('has its share of the connections, as few as the setting allows', () => {
    const shared = childConfig(config({ DATABASE_POOL_SIZE: '60', PORT: '0' }), task);
    expect(shared).toMatchObject({ ROLE: 'api', PORT: 9_000, PROCESSES: 3, DATABASE_POOL_SIZE: 20 });
    expect(childConfig(config({ DATABASE_POOL_SIZE: '6' }), task).DATABASE_POOL_SIZE).toBe(4);
  });

  it('is refused with the numbers where the database allows fewer than all of them need', () => {
    const shared = childConfig(config(), { ...task, role: 'worker' });
    const needed = connectionsNeeded(shared) + 2 * connectionsNeeded({ ...shared, ROLE: 'api' });
    const limits = { server: needed, login: null, database: null, used: needed };
    expect(tooManyProcesses(shared, 3, limits)).toBeNull();
    expect(tooManyProcesses(shared, 3, { ...limits, login: needed - 1 })).toBe(
      `The 3 processes of this machine may use ${needed} connections to the database, and it allows ${needed - 1}. ` +
        'Raise max_connections there, or lower PROCESSES or DATABASE_POOL_SIZE.',
    );
  });
});
