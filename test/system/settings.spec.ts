import { describe, expect, it } from 'vitest';
import { configSchema, readConfig, SECRET_SETTINGS } from '../../src/platform/config.js';
import { settingsOf } from '../../src/system/settings.js';

const SECRET = Buffer.alloc(32, 7).toString('base64');

const shown = (given: Record<string, string>, name: string) =>
  settingsOf(readConfig({ DATA_DIR: '/data', ...given })).find((setting) => setting.name === name);

describe('the settings that operators read', () => {
  it('say what is set and what is a default', () => {
    expect(shown({}, 'STATUS_EVERY_SECONDS')).toMatchObject({ value: '300', source: 'default', hidden: false });
    expect(shown({ STATUS_EVERY_SECONDS: '60' }, 'STATUS_EVERY_SECONDS')).toMatchObject({ value: '60', source: 'set' });
    expect(shown({ DEVICE_ALLOWED_CIDRS: '10.0.0.0/8, 172.16.0.0/12' }, 'DEVICE_ALLOWED_CIDRS')).toMatchObject({
      value: '10.0.0.0/8 172.16.0.0/12',
    });
    expect(shown({}, 'DATABASE_URL')).toMatchObject({ value: null, source: 'default', hidden: false });
  });

  it('show no secret, and of an address neither password nor query', () => {
    const given = {
      FLEETGATE_KEY: SECRET,
      TRANSIT_TOKEN: SECRET,
      FLEETGATE_SETUP_TOKEN: SECRET,
      OIDC_PROVIDERS: `[{"clientSecret":"${SECRET}"}]`,
      DATABASE_URL: `postgres://gateway:${encodeURIComponent(SECRET)}@db.example:5432/fleet?sslpassword=${encodeURIComponent(SECRET)}`,
      ALERTMANAGER_URL: `https://one.example, https://gate:${encodeURIComponent(SECRET)}@two.example/below`,
      REDIS_URL: `rediss://:${encodeURIComponent(SECRET)}@redis.example:6380`,
    };
    const all = JSON.stringify(settingsOf(readConfig({ DATA_DIR: '/data', ...given })));
    expect(all).not.toContain(SECRET);
    expect(all).not.toContain(encodeURIComponent(SECRET));
    expect(shown(given, 'FLEETGATE_KEY')).toMatchObject({ value: null, hidden: true, source: 'set' });
    expect(shown(given, 'DATABASE_URL')).toMatchObject({ value: 'postgres://db.example:5432/fleet' });
    expect(shown(given, 'ALERTMANAGER_URL')).toMatchObject({ value: 'https://one.example https://two.example/below' });
    expect(shown(given, 'REDIS_URL')).toMatchObject({ value: 'rediss://redis.example:6380' });
  });

  it('are hidden where their names tell of a secret, or are known to be none', () => {
    const open = ['RATE_LIMIT_KEY', 'ARTIFACT_PUBLIC_KEYS', 'AUDIT_KEY_FILE', 'AUDIT_WITNESS_KEY'];
    const told = Object.keys(configSchema.shape).filter((name) => /KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL/.test(name));
    const hidden: readonly string[] = SECRET_SETTINGS;
    expect(told.filter((name) => !hidden.includes(name)).toSorted()).toEqual(open.toSorted());
  });
});
