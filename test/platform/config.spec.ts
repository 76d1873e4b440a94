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

  it('refuses two root keys at once', () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    expect(() => readConfig({ FLEETGATE_KEY: key, FLEETGATE_KEY_FILE: '/run/key' })).toThrow(/not both/);
  });

  it('reads networks separated by commas or spaces', () => {
    expect(readConfig({ DEVICE_ALLOWED_CIDRS: '10.0.0.0/8, fd00::/8' }).DEVICE_ALLOWED_CIDRS).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
    ]);
  });
});
