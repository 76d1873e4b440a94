import { describe, expect, it } from 'vitest';
import { redisFaultOf, redisModeFault } from '../../src/database/redis-connection.js';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const closedBy = (cause: Error) => new Error('Connection is closed.', { cause });

describe('an error of Redis', () => {
  it.each([
    ['redis_full', error("OOM command not allowed when used memory > 'maxmemory'.")],
    ['redis_full', error("ERR Error running script: @user_script:1: OOM command not allowed when used memory > 'maxmemory'.")],
    ['redis_read_only', error("READONLY You can't write against a read only replica.")],
    ['redis_read_only', error("ERR Error running script: -READONLY You can't write against a read only replica. script: 0a")],
    ['redis_cluster', error('MOVED 3999 127.0.0.1:6381')],
    ['redis_cluster', error('ASK 3999 127.0.0.1:6381')],
    ['redis_cluster', error("CROSSSLOT Keys in request don't hash to the same slot")],
    ['redis_cluster', error('CLUSTERDOWN The cluster is down')],
    ['redis_disk', error('MISCONF Redis is configured to save RDB snapshots, but it is unable to persist to disk.')],
    ['redis_replicas', error('NOREPLICAS Not enough good replicas to write.')],
    ['redis_login', error('NOAUTH Authentication required.')],
    ['redis_login', error('WRONGPASS invalid username-password pair or user is disabled.')],
    ['redis_login', error("NOPERM this user has no permissions to run the 'evalsha' command")],
    ['redis_loading', error('LOADING Redis is loading the dataset in memory')],
    ['redis_loading', error('BUSY Redis is busy running a script.')],
    ['redis_tls', error('self-signed certificate in certificate chain', { code: 'SELF_SIGNED_CERT_IN_CHAIN' })],
    ['redis_tls', error('unable to verify the first certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })],
    ['redis_tls', closedBy(error('write EPROTO: wrong version number', { code: 'EPROTO' }))],
    ['redis_tls', closedBy(error('Client network socket disconnected before secure TLS connection was established', { code: 'ECONNRESET' }))],
    ['redis_unreachable', closedBy(error('connect ECONNREFUSED 127.0.0.1:6379', { code: 'ECONNREFUSED' }))],
    ['redis_unreachable', error('getaddrinfo ENOTFOUND cache', { code: 'ENOTFOUND' })],
    ['redis_unreachable', error('Command timed out')],
    ['redis_unreachable', error('Connection is closed.')],
    ['redis_unreachable', 'no error at all'],
  ])('means %s: %s', (fault, thrown) => {
    expect(redisFaultOf(thrown)).toBe(fault);
  }); // prettier-ignore
});

it.each([
  ['standalone', null],
  ['cluster', 'node of a Redis Cluster'],
  ['sentinel', 'address of a Sentinel'],
])('a Redis that runs as %s is used, or refused with advice', (mode, says) => {
  const fault = redisModeFault(`# Server\r\nredis_version:7.0.15\r\nredis_mode:${mode}\r\nos:Linux\r\n`);
  if (says === null) expect(fault).toBeNull();
  else expect(fault).toContain(says);
});
