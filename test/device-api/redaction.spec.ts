import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { RECORDED_ANSWERS } from './recorded-answers.js';
import { parseRedactionRules, redact, redactBulk, redactQuery } from '../../src/device-api/redaction.js';
import { isSecretName } from '../../src/device-api/secret-names.js';
import { declarationTable } from '../../src/simulator/device/declarations/table.js';

const fingerprint = (text: string) => `hmac:${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
const shown = (value: unknown, path = '/api/some/config') => redact(value, path, fingerprint).value;

const key32 = randomBytes(31).toString('hex') + 'aa';
const wireguardKey = Buffer.from(key32, 'hex').toString('base64');

describe('a field that holds a secret', () => {
  it.each([
    'password', 'Password', 'new_password', 'passwordConfirm', 'passphrase', 'private_key', 'privateKey', 'psk',
    'preshared_key', 'pre_shared_key', 'psk_key', 'key', 'key1', 'wep-key', 'secret', 'radius_secret', 'uamsecret', 'token',
    'access_token', 'ubus_rpc_session', 'community', 'ro_community', 'pin', 'puk', 'pincode_pin', 'api_key', 'sae_password',
    'auth_pass', 'connection_string', 'credentials', 'authorization', 'cookie',
  ])('is hidden by its name: %s', (name) => {
    expect(shown({ [name]: 'open sesame' })).toEqual({ [name]: fingerprint('open sesame') });
  }); // prettier-ignore

  it('is hidden by its name in each service that declares it as a secret', () => {
    const secrets = [...declarationTable().values()].flatMap(({ path, options }) =>
      Object.keys(options).flatMap((name) => (options[name]!.secret ? [`${path} ${name}`] : [])),
    );
    expect(secrets.length).toBeGreaterThan(10);
    expect(secrets.filter((one) => !isSecretName(one.split(' ')[1]!))).toEqual([]);
  });

  it.each([
    'public_key', 'publicKey', 'key_size', 'key_type', 'username', 'passthrough', 'compass', 'token_expires', 'password_set',
    'keyboard', 'monkey', 'session_timeout', 'expires', 'serial', 'mac', 'imei', 'pinned', 'has_password', 'port', 'id', '.type',
  ])('is shown when its name only sounds alike: %s', (name) => {
    expect(shown({ [name]: 'plain' })).toEqual({ [name]: 'plain' });
  }); // prettier-ignore

  it.each([
    ['a PEM key', generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string],
    ['a DER key', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64')],
    ['an EC key', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'sec1', format: 'der' }).toString('base64')],
    ['a WireGuard key', wireguardKey],
    ['a raw key of WPA', key32],
    ['a hash of crypt', '$6$abc$def'],
    ['a hash of a directory', '{SHA}c2FsdGVkIGRpZ2VzdA=='],
    ['a salted one', '{SSHA512}c2FsdGVkIGRpZ2VzdA=='],
    ['an old salted one', '{SMD5}c2FsdGVkIGRpZ2VzdA=='],
    ['one of crypt in a directory', '{CRYPT}abJnggxhB/yWI'],
    ['a web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['a key file of PuTTY', 'PuTTY-User-Key-File-3: ssh-ed25519'],
    ['a key of age', ['key AGE', 'SECRET', 'KEY', '1QQQQ'].join('-')],
    ['a key of a cloud', `note AKIA${'ABCD'.repeat(4)}`],
    ['a token of a forge', `note ghp_${'a1'.repeat(18)}`],
    ['a key of ours', `note fg_${'a1'.repeat(18)}`],
  ])('is hidden by its shape: %s', (_what, text) => {
    expect(shown({ note: text })).toEqual({ note: fingerprint(text) });
    expect(shown(['x', { a: [text] }])).toEqual(['x', { a: [fingerprint(text)] }]);
    expect(shown(text)).toBe(fingerprint(text));
  }); // prettier-ignore

  it.each([
    ['a WireGuard key', wireguardKey],
    ['a raw key of WPA', key32],
    ['a hash of crypt', '$6$abc$def'],
    ['a key of a cloud', `AKIA${'ABCD'.repeat(4)}`],
  ])('is hidden as a name, too: %s', (_what, name) => {
    expect(shown({ [name]: true })).toEqual({ [fingerprint(name)]: true });
  });

  it.each([
    ['a public key by its name', { public_key: wireguardKey }],
    ['a digest by its name', { sha256: key32, md5: key32.slice(0, 32) }],
    ['a public DER key', { data: generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'der' }).toString('base64') }],
    ['a certificate file of a service', { key: '/etc/certificates/server.key.pem' }],
    ['an empty secret', { password: '', psk: null, token: false }],
  ])('is shown: %s', (_what, value) => {
    expect(shown(value)).toEqual(value);
  }); // prettier-ignore

  it('is hidden however deep, in lists and objects below its name, numbers too', () => {
    expect(shown({ a: [{ keys: ['k1', { x: 'k2' }], pin: 1234 }] })).toEqual({
      a: [{ keys: [fingerprint('k1'), { x: fingerprint('k2') }], pin: fingerprint('1234') }],
    });
    let deep: unknown = 'password=deep';
    for (let depth = 0; depth < 1_000; depth++) deep = { a: deep };
    expect(JSON.stringify(shown(deep))).not.toContain('password=deep');
  });

  it('is hidden where another field names it', () => {
    expect(shown({ option: 'pincode', value: 42 })).toEqual({ option: 'pincode', value: fingerprint('42') });
    expect(shown({ option: 'wpa_psk', value: 'sesame' })).toEqual({ option: 'wpa_psk', value: fingerprint('sesame') });
  });

  it('is hidden inside text, the rest of which stays', () => {
    expect(shown('login with password=sesame from 192.0.2.1')).toBe(
      `login with password=${fingerprint('sesame')} from 192.0.2.1`,
    );
    expect(shown('ftp://joe:sesame@example.org/x')).toBe(`ftp://joe:${fingerprint('sesame')}@example.org/x`);
    expect(shown("option key 'sesame'")).toBe(`option key '${fingerprint('sesame')}'`);
    expect(shown('Password of user admin was changed')).toBe('Password of user admin was changed');
  });

  it('is hidden in the errors of a device, which repeat what they refuse', () => {
    const refusal = {
      success: false,
      errors: [{ code: 103, error: "Value 'sesame' is weak", source: 'x', value: 'sesame' }],
    };
    const mark = fingerprint('sesame');
    expect(shown({ code: 103, error: 'Too short', source: 'pin', value: 42 })).toMatchObject({
      value: fingerprint('42'),
    });
    expect(shown(refusal)).toEqual({
      success: false,
      errors: [{ code: 103, error: `Value '${mark}' is weak`, source: 'x', value: mark }],
    });
  });
});

describe('the answers of devices', () => {
  it.each(RECORDED_ANSWERS)('are shown without their secrets, and with all else: $path', (recorded) => {
    const secrets = recorded.secrets ?? {};
    const answer = { success: true, data: [{ ...recorded.shown, ...secrets }] };
    const hidden = Object.fromEntries(Object.keys(secrets).map((name) => [name, fingerprint(String(secrets[name]))]));
    expect(shown(answer, recorded.path)).toEqual({ success: true, data: [{ ...recorded.shown, ...hidden }] });
  });

  it.each([
    ['a word for a protection where a secret must be', { password: 'none', token: 'password', psk_auth: 'open' }],
    ['a PIN', { pin: 1234, puk: '12345678' }],
    ['a word that is none of them', { auth: 'sesame', session: '5f2a', wpa: ['2', 'sesame'] }],
    ['a flag that a rule hides', { ssid: '1' }],
    ['a code as a small number', { pin: 42, puk: 7, sim_pin1: 0, totp: 12, pincode: [42], otp: { sent: 42 } }],
    ['the bytes of a key', { private_key: [48, 119, 2], psk: { 0: 48, 1: [119] }, keys: [[1], { b: 2 }] }],
  ])('hide %s', (_what, value) => {
    const own = parseRedactionRules('hide /* ssid');
    const leaves = JSON.stringify(redact(value, '/api/some/config', fingerprint, own).value);
    expect(leaves.replaceAll(/"(?:\w+":|hmac:\w{16}"|2")|[{}[\],]/g, '')).toBe('');
  });
});

it.each([
  ['directly under a name', { key: 1, password_level: 3, session: 30, wpa: 2 }],
  ['as items of a kind of protection', { wpa: [2, 3], encryption: { wpa: [2] }, auth: [0] }],
])('small numbers are shown %s', (_what, value) => expect(shown(value)).toEqual(value));

describe('a secret in an unusual place', () => {
  it.each([
    ['psk="correct horse battery staple" up', 'correct horse battery staple'],
    ["password: 'my secret phrase, long'; port=1", 'my secret phrase, long'],
    ['said {"password":"my secret phrase, long","port":1}', 'my secret phrase, long'],
    ['ftp://joe:p@ss@example.org/x', 'p@ss'],
  ])('is hidden to its end: %s', (text, secret) => {
    expect(shown(text)).toBe(text.replace(secret, fingerprint(secret)));
  });

  it('is hidden as a name below a secret name', () => {
    const name = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln';
    expect(shown({ tokens: { [name]: { id: 'x' } } })).toEqual({
      tokens: { [fingerprint(name)]: { id: fingerprint('x') } },
    });
  });

  it.each(['authkey', 'wpakey', 'netkey', 'masterkey', 'sharedkey', 'wpakey1'])('is hidden by one word: %s', (name) => {
    expect(shown({ [name]: 'open sesame' })).toEqual({ [name]: fingerprint('open sesame') });
  });

  it('is hidden where the code of a refusal is text', () => {
    expect(shown({ errors: [{ code: '103', error: "'sesame' is weak", value: 'sesame' }] })).toEqual({
      errors: [{ code: '103', error: `'${fingerprint('sesame')}' is weak`, value: fingerprint('sesame') }],
    });
  });
});

describe('rules for paths', () => {
  it('go before names', () => {
    const keys = { data: { private: 'aaaa', public: wireguardKey } };
    expect(shown(keys, '/api/wireguard/actions/generate_keys')).toEqual({
      data: { private: fingerprint('aaaa'), public: wireguardKey },
    });
    expect(shown({ name: 'public' }, '/api/snmp/communities/config')).toEqual({ name: fingerprint('public') });
    for (const path of ['/api/v1/snmp/communities/config', '/api/v1/v1.0/snmp/communities/config']) {
      expect(shown({ name: 'public' }, path)).toEqual({ name: fingerprint('public') });
    }
    expect(shown({ name: 'public' }, '/api/interfaces/config')).toEqual({ name: 'public' });
  });

  it('can be given, and go before ours', () => {
    const own = parseRedactionRules('hide /wireless/* ssid, *_hint\n# a note\nshow /snmp/* community');
    const { value, hidden } = redact({ ssid: 'home', x_hint: 'h', key: 'k' }, '/api/wireless/config', fingerprint, own);
    expect(value).toEqual({ ssid: fingerprint('home'), x_hint: fingerprint('h'), key: fingerprint('k') });
    expect(hidden).toBe(3);
    expect(redact({ community: 'public' }, '/api/snmp/global', fingerprint, own).hidden).toBe(0);
    expect(() => parseRedactionRules('conceal /x y')).toThrow(/is not a rule/);
  });

  it('judge each item of a bulk answer by its own path', () => {
    const item = { success: true, data: { private: 'p', public: 'q', name: 'n' } };
    const paths = ['/api/wireguard/actions/generate_keys', '/api/snmp/communities/config'];
    expect(redactBulk({ success: true, data: [item, item] }, paths, fingerprint)).toEqual({
      value: {
        success: true,
        data: [
          { success: true, data: { private: fingerprint('p'), public: 'q', name: 'n' } },
          { success: true, data: { private: 'p', public: 'q', name: fingerprint('n') } },
        ],
      },
      hidden: 2,
    });
  });
});

describe('what is too large to be looked through', () => {
  it('is hidden: text beyond a mebibyte, names that are none, and secrets beyond some thousands, under one mark', () => {
    const long = 'plain text '.repeat(100_000);
    expect(shown({ a: long, b: 'plain text' })).toEqual({ a: fingerprint(long), b: fingerprint('plain text') });
    const name = 'n'.repeat(300);
    expect(shown({ [name]: 'plain' })).toEqual({ [fingerprint(name)]: fingerprint('plain') });
    const many = shown(Array.from({ length: 6_000 }, (_none, index) => ({ token: `t${index}` }))) as {
      token: string;
    }[];
    expect(many[0]!.token).toBe(fingerprint('t0'));
    expect(many.at(-1)!.token).toBe(many.at(-2)!.token);
    expect(many.every(({ token }) => token.startsWith('hmac:'))).toBe(true);
  });
});

/** A mebibyte of one short secret after another, in each form that is searched inside a text. */
const FULL_OF_SECRETS: [string, string][] = [
  ['in quotes', 'pwd="a" '],
  ['in single quotes', "psk='a' "],
  ['without quotes', 'pwd=a '],
  ['in quotes that never end', 'api_key" = "'],
  ['of a bearer', 'Bearer a '],
  ['in an address', '://a:b@ '],
  ['in a configuration', "option key 'a' "],
  ['a hash of crypt', '$1$a '],
  ['a web token', ' eyJaaaaaaaa.aaaaaaaa.'],
  ['a key of WPA', `${key32} `],
  ['a key of WireGuard', `${wireguardKey} `],
  ['several at once', 'é ://a:b@ psk=c token:d pwd="f" Bearer g '],
];
describe('a text with more secrets than get a fingerprint of their own', () => {
  it.each(FULL_OF_SECRETS)('is hidden completely: %s', (_what, secret) => {
    const text = secret.repeat(Math.floor((1024 * 1024) / secret.length));
    const { value, hidden } = redact({ log: ` ${text}` }, '/api/x', fingerprint);
    expect(hidden).toBeLessThan(5_010);
    expect((value as { log: string }).log).toMatch(/^hmac:[0-9a-f]{16}$/);
  });

  it.each(FULL_OF_SECRETS)('is searched as long as it has fewer: %s', (_what, secret) => {
    const { log } = shown({ log: `begin ${secret.repeat(100)} end` }) as { log: string };
    expect(log).toMatch(/^begin .*hmac:[0-9a-f]{16}/);
  });

  it('is shown beside them when it has none', () => {
    const many = shown([...Array.from({ length: 6_000 }, () => ({ token: 'abc' })), { log: 'plain text' }]) as object[];
    expect(many.at(-1)).toEqual({ log: 'plain text' });
  });
});

describe('a key inside a sentence', () => {
  it.each([
    ['of WireGuard', `Key ${wireguardKey} is taken`, wireguardKey],
    ['of WireGuard, in a setting', `PrivateKey=${wireguardKey}`, wireguardKey],
    ['of WPA', `the key ${key32} is weak`, key32],
    ['that is a hash of crypt', 'root:$6$salt$aGFzaA./x:19000:0', '$6$salt$aGFzaA./x'],
    [
      'that is a web token',
      'sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln.',
      'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln',
    ],
  ])('is hidden: %s', (_what, text, secret) => {
    expect(shown({ note: text })).toEqual({ note: text.replace(secret, fingerprint(secret)) });
    expect(shown({ errors: [{ code: 1, error: text }] })).toEqual({
      errors: [{ code: 1, error: text.replace(secret, fingerprint(secret)) }],
    });
  });

  it('is shown where its name says that it is public', () => {
    expect(shown({ public_key: `${wireguardKey}, ${wireguardKey}` })).toEqual({
      public_key: `${wireguardKey}, ${wireguardKey}`,
    });
  });
});

describe('what is redacted', () => {
  it('is the same value when nothing was hidden, and the same again when it is redacted twice', () => {
    const plain = { a: [1, { b: 'x' }], c: null };
    expect(redact(plain, '/api/x', fingerprint)).toEqual({ value: plain, hidden: 0 });
    expect(shown(plain)).toBe(plain);
    const once = redact({ password: 'a', list: [{ psk: 'b' }] }, '/api/x', fingerprint);
    expect(once.hidden).toBe(2);
    expect(redact(once.value, '/api/x', fingerprint)).toEqual({ value: once.value, hidden: 0 });
  });

  it('keeps names that mean something to a runtime', () => {
    const value: unknown = JSON.parse('{"__proto__":{"password":"sesame"},"constructor":"x"}');
    expect(JSON.stringify(shown(value))).toBe(
      `{"__proto__":{"password":"${fingerprint('sesame')}"},"constructor":"x"}`,
    );
  });

  it('may be a query, whose other bytes stay', () => {
    expect(redactQuery('limit=5&token=a%20b&x=%7E&flag', '/api/x', fingerprint)).toEqual({
      query: `limit=5&token=${fingerprint('a b')}&x=%7E&flag`,
      hidden: 1,
    });
  });
});
