import { describe, expect, it } from 'vitest';
import { connectionsNeeded, fewConnections } from '../../src/database/connection/connection-budget.js';

const all = { ROLE: 'all', REDIS_URL: undefined, DATABASE_POOL_SIZE: 20, QUEUE_POOL_SIZE: 12 } as const;
const plenty = { server: 97, login: null, database: null, used: 0 };

describe('the connections of a process', () => {
  it.each([
    ['of all roles', all, 36],
    ['that answers requests only', { ...all, ROLE: 'api' } as const, 23],
    ['that runs jobs', { ...all, ROLE: 'worker' } as const, 36],
    ['with its queue in Redis', { ...all, REDIS_URL: 'redis://cache' }, 24],
    ['with small pools', { ...all, DATABASE_POOL_SIZE: 4, QUEUE_POOL_SIZE: 10 }, 18],
  ])('are counted for one %s', (_name, config, count) => {
    expect(connectionsNeeded(config)).toBe(count);
  });

  it.each([
    ['the server allows as many', plenty],
    ['exactly as many are free', { ...plenty, used: 61 }],
    ['login and database allow as many', { ...plenty, login: 36, database: 50 }],
  ])('are no worry while %s', (_name, limits) => {
    expect(fewConnections(all, limits)).toBeNull();
  });

  it.each([
    ['max_connections is small', { ...plenty, server: 12 }, 'may use 36 connections to the database, and 12 are free'],
    ['others use them', { ...plenty, used: 63 }, 'and 34 are free: it allows 97, and 63 are open'],
    ['the login has a limit', { ...plenty, login: 10 }, 'it allows 10'],
    [
      'the database has a limit',
      { ...plenty, database: 11, used: 20 },
      'and 0 are free: it allows 11, and 20 are open',
    ],
  ])('are warned of with numbers when %s', (_name, limits, says) => {
    expect(fewConnections(all, limits)).toContain(says);
  });
});
