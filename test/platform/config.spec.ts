import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/platform/config.js';

describe('the configuration', () => {
  it('has a default for everything', () => {
    expect(readConfig({})).toMatchObject({ ROLE: 'all', HOST: '127.0.0.1', PORT: 8080, DEVICE_ALLOW_LOOPBACK: false });
  });

  it('takes an empty variable as one that is not set', () => {
    expect(readConfig({ DATABASE_URL: '', PORT: '' })).toMatchObject({ PORT: 8080 });
  });

  it('names every problem at once, and where to read about it', () => {
    const read = () =>
      readConfig({ ROLE: 'boss', PORT: '99999', DATABASE_URL: 'mysql://x', DEVICE_ALLOWED_CIDRS: '10.0.0.0/99' });
    expect(read).toThrow(
      /ROLE:[\s\S]*PORT:[\s\S]*DATABASE_URL:[\s\S]*DEVICE_ALLOWED_CIDRS[\s\S]*docs\/reference\/config\.md/,
    );
  });

  it('never repeats a value that may be a secret', () => {
    expect(() => readConfig({ FLEETGATE_KEY: 'hunter2-hunter2' })).toThrow(/^(?![\s\S]*hunter2)/);
  });

  it.each([
    'http://user:hunter2@@alerts.example',
    'http://user:hun/ter2@alerts.example',
    'http://user:0hunter2/@alerts.example',
    'http://user:hunter2@alerts.example/?x=hunter2',
    'ftp://user:hunter2@alerts.example',
    'user:hunter2@alerts.example',
  ])('refuses %s as the address of an Alertmanager, without its password', (url) => {
    expect(() => readConfig({ ALERTMANAGER_URL: `https://alerts.example ${url}` })).toThrow(
      /^(?![\s\S]*ter2)[\s\S]*ALERTMANAGER_URL/,
    );
  });

  it.each([
    ['PORT', 'http', 'must be a whole number from 0 to 65535'],
    ['PORT', '99999', 'must be a whole number from 0 to 65535'],
    ['PORT', '80.5', 'must be a whole number from 0 to 65535'],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/8, proxy.example',
      'proxy.example is no network: write one as 10.0.0.0/8 or fd00::/8',
    ],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'is no network'],
    ['DEVICE_ALLOWED_CIDRS', '300.1.1.1', 'is no network'],
    ['ROLE', 'apis', 'expected one of "all"|"api"|"worker"'],
    ['DEVICE_ALLOW_LOOPBACK', 'yes', 'must be true or false'],
    ['PUBLIC_URL', 'fleet.example', 'must be an address such as https://'],
    ['REDIS_URL', 'localhost', 'must be an address such as redis://'],
    ['DATABASE_URL', 'localhost', 'must be an address such as postgres://'],
    ['FLEETGATE_KEY', 'abc', 'must be 32 bytes in base64'],
  ])('says of a wrong %s, %s, what is right', (name, value, says) => {
    const said = () => readConfig({ [name]: value });
    expect(said).toThrow(says);
    expect(said).not.toThrow(/Invalid input|Invalid URL|NaN/);
  });

  it.each([
    ['127.0.0.1', ['127.0.0.1/32']],
    ['::1', ['::1/128']],
    ['10.0.0.0/8 192.0.2.7,fd00::5', ['10.0.0.0/8', '192.0.2.7/32', 'fd00::5/128']],
  ])('takes an address alone as a network of one: %s', (written, networks) => {
    expect(readConfig({ TRUSTED_PROXIES: written }).TRUSTED_PROXIES).toEqual(networks);
  });

  it.each([
    ['PUBLIC_URL', 'https://192.168.001.010', '192.168.1.10?'],
    ['PUBLIC_URL', 'https:/gateway.example', 'two slashes'],
    ['TRANSIT_URL', 'https://10.1:8200', 'read as 10.0.0.1'],
    ['TRANSIT_URL', 'https://vault:hunter2@vault.example', 'no user and no password'],
    ['ARTIFACT_S3_ENDPOINT', 'https://0x0a000001', 'read as 10.0.0.1'],
    ['ARTIFACT_S3_ENDPOINT', 'https://s3.example\\', 'backslash'],
    ['AUDIT_WITNESS_URL', 'https://167772161/add', 'read as 10.0.0.1'],
    ['AUDIT_WITNESS_URL', 'https://[::ffff:10.0.0.1]', '10.0.0.1?'],
    ['REDIS_URL', 'redis://010.0.0.1:6379', '10.0.0.1?'],
    ['DATABASE_URL', 'postgres://user:hunter2@010.0.0.1/db', '10.0.0.1?'],
    ['DATABASE_OWNER_URL', 'postgres://10.1/db', 'four decimal numbers'],
    ['DATABASE_URL', 'postgres:///db?host=192.168.001.010', '192.168.1.10?'],
    ['DATABASE_URL', 'postgres:///db?hostaddr=10.1', 'four decimal numbers'],
    ['REDIS_URL', 'redis:192.168.1', 'two slashes'],
    ['REDIS_URL', 'redis:192.168.001.010', 'two slashes'],
    ['REDIS_URL', 'redis://redis.example?host=10.1', 'host as a parameter'],
    ['HOST', '0', 'read as 0.0.0.0'],
    ['HOST', '127.1', 'read as 127.0.0.1'],
  ])('refuses %s=%s, which means another address', (name, value, reason) => {
    expect(() => readConfig({ [name]: value })).toThrow(new RegExp(`${name}: .*${reason.replaceAll('?', '[?]')}`));
    expect(() => readConfig({ [name]: value })).not.toThrow(/hunter2/);
  });

  it.each([
    ['HOST', '::'],
    ['HOST', 'fe80::1%eth0'],
    ['DATABASE_URL', 'postgres:///db?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgres://user:p%40ss@[2001:db8::7]:5433/db?sslmode=require'],
    ['REDIS_URL', 'rediss://:secret@redis.example:6380/1'],
    ['PUBLIC_URL', 'https://gateway.example/fleet'],
    ['PUBLIC_URL', 'https://gateway.example/ops/v1/console'],
  ])('accepts %s=%s', (name, value) => {
    expect(readConfig({ [name]: value })).toHaveProperty(name, value);
  });

  it.each(['https://gateway.example/', 'https://gateway.example/fleet/'])('takes %s without its last slash', (url) => {
    expect(readConfig({ PUBLIC_URL: url }).PUBLIC_URL).toBe(url.slice(0, -1));
  });

  it.each([
    ['/v1', 'begins with /v1'],
    ['/v1/', 'begins with /v1'],
    ['/d/fleet', 'begins with /d,'],
    ['/console', 'such as /fleet'],
    ['/docs/x', 'begins with /docs'],
    ['/openapi.json', 'begins with /openapi.json'],
    ['/health', 'begins with /health'],
    ['/metrics', 'begins with /metrics'],
    ['//other.example', 'two slashes'],
    ['/fleet//x', 'two slashes'],
    ['/fle%65t', 'letters, digits'],
    ['/fleet;a=b', 'letters, digits'],
    ['/fleet"x', 'letters, digits'],
    ['/fleet?x=1', 'has a ? or #'],
    ['/fleet#x', 'has a ? or #'],
    ['/?', 'has a ? or #'],
  ])('refuses PUBLIC_URL with the path %s', (path, reason) => {
    expect(() => readConfig({ PUBLIC_URL: `https://gateway.example${path}` })).toThrow(reason);
  });

  it('refuses two root keys at once', () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    expect(() => readConfig({ FLEETGATE_KEY: key, FLEETGATE_KEY_FILE: '/run/key' })).toThrow(/not both/);
  });

  it.each([
    ['FLEETGATE_KEY', Buffer.alloc(32, 1).toString('base64')],
    ['FLEETGATE_KEY_NEXT', Buffer.alloc(32, 2).toString('base64')],
    ['FLEETGATE_SETUP_TOKEN', 'a token for automated set-up'],
    ['OIDC_PROVIDERS', '[]'],
  ])('reads %s from the file that %s_FILE names', async (name, secret) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'fleetgate-secret-'));
    try {
      const file = path.join(folder, 'secret');
      await writeFile(file, `${secret}\n`, { mode: 0o444 });
      expect(readConfig({ [`${name}_FILE`]: file })).toHaveProperty(name, secret);
      await rm(file);
      expect(() => readConfig({ [`${name}_FILE`]: file })).toThrow(`(${name}_FILE) cannot be read (ENOENT)`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it.each([
    ['ARTIFACT_S3_REGION', 'Set AWS_REGION, and remove ARTIFACT_S3_REGION'],
    ['ARTIFACT_S3_PREFIX', 'ARTIFACT_S3_BUCKET=bucket/prefix'],
    ['ARTIFACT_S3_ACCESS_KEY_ID', 'Set AWS_ACCESS_KEY_ID'],
    ['ARTIFACT_S3_SECRET_ACCESS_KEY', 'Set AWS_SECRET_ACCESS_KEY'],
    ['TRANSIT_MOUNT', '/v1/transit/keys/fleetgate'],
    ['TRANSIT_KEY', '/v1/transit/keys/fleetgate'],
    ['QUEUE_POOL_SIZE', 'The value is always 12'],
    ['BODY_WITHIN_SECONDS', 'The value is always 30'],
    ['BODY_BYTES_PER_SECOND', 'The value is always 1024'],
    ['LOGIN_TRIES_PER_ADDRESS', 'The value is always 50'],
    ['FAN_OUTS_PER_OPERATOR', 'The value is always 16'],
    ['FAN_OUTS_PER_KEY', 'An operator may have 16 fan-outs open'],
    ['FAN_OUT_READER_SECONDS', 'The value is always 60'],
    ['STORED_FAN_OUTS_PER_OPERATOR', 'The value is always 200'],
    ['AUDIT_CHECKPOINT_SECONDS', 'The value is always 10'],
    ['AUDIT_WITNESS_SECONDS', 'The value is always 300'],
  ])('refuses %s, which is no setting any more, and says what to do', (name, advice) => {
    const read = () => readConfig({ [name]: 'hunter2' });
    expect(read).toThrow(`${name} is no setting any more. `);
    expect(read).toThrow(advice);
    expect(read).not.toThrow(/hunter2/);
  });

  it.each([
    ['ARTIFACT_S3_BUCKET', 'no', 'must be a bucket, or bucket/prefix'],
    ['TRANSIT_URL', 'https://vault.example:8200', 'must be the address of a key, such as https://'],
    ['TRANSIT_URL', 'https://vault.example/v1/transit/encrypt/fleetgate', 'must be the address of a key'],
    ['TRANSIT_URL', 'https://vault.example/v1/keys/fleetgate', 'must be the address of a key'],
  ])('refuses %s=%s', (name, value, says) => {
    expect(() => readConfig({ [name]: value })).toThrow(`${name}: ${says}`);
  });

  it('reads networks separated by commas or spaces', () => {
    expect(readConfig({ DEVICE_ALLOWED_CIDRS: '10.0.0.0/8, fd00::/8' }).DEVICE_ALLOWED_CIDRS).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });
});
