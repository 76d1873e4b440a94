import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../src/auth/rights/rights.service.js';
import { PathRules } from '../../src/auth/rights/device-acl.js';
import { explain } from '../../src/auth/rights/explain.js';
import { infoOf, PERMISSION_NAMES, ROLES } from '../../src/auth/rights/permissions.js';
import { type Grant, Layer, Rights, type Rule } from '../../src/auth/rights/rights.js';
import { type Device } from '../../src/devices/registry/device.entity.js';
import { readRightSelector } from '../../src/auth/rights/right-selectors.js';

const device = (id: string, site: string, tags: string[] = []) =>
  ({
    id,
    name: id,
    site,
    tags,
    serial: null,
    mac: null,
    model: null,
    firmware: null,
    seenAt: null,
  }) as unknown as Device;
const PUMP = device('pump', 'vilnius/1', ['pump']);
const GATE = device('gate', 'kaunas/1', ['gate']);

const allow = (permissions: string[], more: Partial<Rule> = {}): Rule => ({
  effect: 'allow', permissions, selector: null, devices: null, ...more,
}); // prettier-ignore
const deny = (permissions: string[], more: Partial<Rule> = {}): Rule => ({
  ...allow(permissions, more),
  effect: 'deny',
});
const grant = (rules: Rule[], selector: string | null = null): Grant => ({ role: 'own', selector, rules });
const rightsOf = (grants: Grant[], scope?: Rule) =>
  new Rights([
    new Layer('operator', grants, readRightSelector),
    ...(scope ? [new Layer('key', [grant([scope])], readRightSelector)] : []),
  ]);

describe('rights', () => {
  it('are none where no rule allows', () => {
    for (const action of PERMISSION_NAMES) {
      const isOwn = infoOf(action).about === 'self';
      expect([action, rightsOf([]).allows({ action, device: PUMP })]).toEqual([action, isOwn]);
      expect([action, new Rights([]).allows({ action })]).toEqual([action, isOwn]);
    }
  });

  it('of a key say whether it changes what is its owner’s own, when its scope names permissions', () => {
    const may = (scope?: Rule) => rightsOf([], scope).allows({ action: 'self.change' });
    expect([may(), may(allow(['*'])), may(allow(['*'], { selector: 'tag:pump' }))]).toEqual([true, true, true]);
    expect([may(allow(['device.*'])), may(allow(['self.*'])), may(allow(['self.change']))]).toEqual([
      false,
      true,
      true,
    ]);
    expect(rightsOf([], allow(['device.*'])).allows({ action: 'self.read' })).toBe(true);
    expect(rightsOf([], allow(['device.*'])).judge({ action: 'self.change' })).toMatchObject({ refusedIn: 'key' });
    const all = [grant([allow(['*'])])];
    expect(rightsOf(all, allow(['key.manage'])).missing(rightsOf(all, allow(['key.manage', 'self.change'])))).toBe(
      'self.change',
    );
  });

  it('have a mark that is the same for the same rules, and no others', () => {
    const one = () => rightsOf([grant([allow(['device.*'], { selector: 'tag:pump' })])]);
    expect(one().digest).toEqual(one().digest);
    const others = [
      rightsOf([grant([allow(['device.*'], { selector: 'tag:gate' })])]),
      rightsOf([grant([allow(['device.*'], { selector: 'tag:pump' })])], allow(['*'])),
      rightsOf([]),
    ];
    for (const other of others) expect(other.digest).not.toEqual(one().digest);
    const denied = () => rightsOf([grant([allow(['*']), deny(['device.*'], { selector: 'tag:pump' })])]);
    expect([denied().includes(denied()), denied().includes(one()), rightsOf([grant([allow(['*'])])]).includes(denied())]).toEqual([
      true, false, true,
    ]); // prettier-ignore
  });

  it('reach the devices of the selector of a rule and of its assignment, and no others', () => {
    const rights = rightsOf([grant([allow(['device.*'], { selector: 'tag:pump' })], 'site:vilnius/*')]);
    expect(rights.allows({ action: 'device.read', device: PUMP })).toBe(true);
    expect(rights.allows({ action: 'device.read', device: GATE })).toBe(false);
    expect(rights.allows({ action: 'device.read', device: device('x', 'kaunas/2', ['pump']) })).toBe(false);
    expect(rights.allows({ action: 'device.read' })).toBe(true);
    expect(rights.everywhere('device.read')).toBe(false);
  });

  it('are none about the gateway as a whole for who is narrowed to some devices', () => {
    const rights = rightsOf([grant([allow(['*'])], 'site:vilnius/*')]);
    expect(rights.allows({ action: 'device.manage', device: PUMP })).toBe(true);
    for (const action of PERMISSION_NAMES.filter((name) => infoOf(name).about === 'gateway')) {
      expect([action, rights.allows({ action })]).toEqual([action, false]);
    }
  });

  it('end where a rule denies, whatever else allows', () => {
    const rights = rightsOf([grant([allow(['*'])]), grant([deny(['device.call_write'], { selector: 'tag:gate' })])]);
    expect(rights.allows({ action: 'device.call_write', device: PUMP })).toBe(true);
    expect(rights.allows({ action: 'device.call_write', device: GATE })).toBe(false);
    expect(rights.allows({ action: 'device.call_read', device: GATE })).toBe(true);
    expect(rights.everywhere('device.call_write')).toBe(false);
  });

  it('are none about a device that a rule denies to be read, and the same about the gateway', () => {
    const rights = rightsOf([grant([allow(['*']), deny(['device.read'], { selector: 'tag:gate' })])]);
    for (const action of PERMISSION_NAMES.filter((name) => infoOf(name).about === 'device')) {
      expect([action, rights.allows({ action, device: GATE })]).toEqual([action, false]);
      expect([action, rights.allows({ action, device: PUMP })]).toEqual([action, true]);
    }
    expect(rights.allows({ action: 'key.manage' })).toBe(true);
    const calls = rightsOf([grant([allow(['*']), deny(['*'], { devices: { api: { '/x': ['read'] } } })])]);
    expect(calls.allows({ action: 'job.read', device: GATE })).toBe(true);
  });

  it('judge calls by access lists, and nothing else by them', () => {
    const rights = rightsOf([
      grant([
        allow(['device.*'], { devices: { api: { '/wireguard/*': ['read', 'write'], '/system/*': ['read'] } } }),
        deny(['*'], { devices: { api: { '/wireguard/secrets/*': ['read'] } } }),
      ]),
    ]);
    const may = (action: 'device.call_read' | 'device.call_write', path?: string) =>
      rights.allows({ action, device: PUMP, path });
    expect(may('device.call_write', '/api/wireguard/config')).toBe(true);
    expect(may('device.call_read', '/api/system/device/status')).toBe(true);
    expect(may('device.call_write', '/api/system/reboot')).toBe(false);
    expect(may('device.call_read', '/api/users/config')).toBe(false);
    expect(may('device.call_read', '/api/wireguard/secrets/a')).toBe(false);
    expect(may('device.call_read', '/api/wireguard/SECRETS/a')).toBe(false);
    expect(may('device.call_read')).toBe(true);
    expect(rights.allows({ action: 'device.read', device: PUMP })).toBe(true);
    expect(rights.everywhere('device.call_read')).toBe(false);
    expect(rights.everywhere('device.manage')).toBe(true);
  });

  it('of a key are what both its operator and its scope allow', () => {
    const rights = rightsOf(
      [grant([allow(['device.*'], { selector: 'site:vilnius/*' })])],
      allow(['device.read', 'job.*']),
    );
    expect(rights.allows({ action: 'device.read', device: PUMP })).toBe(true);
    expect(rights.allows({ action: 'device.read', device: GATE })).toBe(false);
    expect(rights.allows({ action: 'device.manage', device: PUMP })).toBe(false);
    expect(rights.allows({ action: 'job.read', device: PUMP })).toBe(false);
  });

  it.each<[string | null, Grant[], Rule?]>([
    [null, [grant([allow(['*'])])]],
    ['(tag:a)', [grant([allow(['device.*'], { selector: 'tag:a' })])]],
    ['((site:x/*) & (tag:a)) | (tag:b)', [grant([allow(['*'], { selector: 'tag:a' })], 'site:x/*'), grant([allow(['*'])], 'tag:b')]],
    ['!((tag:a))', [grant([allow(['*']), deny(['device.read'], { selector: 'tag:a' })])]],
    ['((tag:b)) & !((tag:a))', [grant([allow(['*'], { selector: 'tag:b' }), deny(['device.read'], { selector: 'tag:a' })])]],
    ['((tag:a)) & ((tag:k))', [grant([allow(['*'], { selector: 'tag:a' })])], allow(['*'], { selector: 'tag:k' })],
  ])('are written as a selector that the same devices match: %j', (text, grants, scope) => {
    const rights = rightsOf(grants, scope);
    expect(rights.selector('device.read')).toBe(text);
    const selector = readRightSelector(text ?? 'all');
    const tags = [[], ['a'], ['b'], ['k'], ['a', 'b'], ['a', 'k'], ['b', 'k']];
    for (const one of tags.flatMap((some) => ['x/1', 'y'].map((site) => device('d', site, some))))
      expect(selector.matches(one)).toBe(rights.allows({ action: 'device.read', device: one }));
  }); // prettier-ignore

  it('say the same as SQL as they do in memory, for scopes that are all or nothing', () => {
    expect(rightsOf([grant([allow(['*'])])]).scope('device.read')).toBeNull();
    expect(rightsOf([]).scope('device.read')?.([], new Date())).toBe('false');
    const paths = { devices: { api: { '/wireguard/*': ['read' as const] } } };
    const rights = rightsOf([grant([allow(['device.*'], paths)])]);
    expect(rights.scope('device.call_read', '/api/wireguard/config')).toBeNull();
    expect(rights.scope('device.call_read', '/api/users/config')?.([], new Date())).toBe('false');
  });

  it('tell nobody of a device that they may not read, and say forbidden of others', () => {
    const rights = rightsOf([grant([allow(['device.read'], { selector: 'tag:pump' })])]);
    const code = (device: Device) => {
      try {
        rights.requireOnDevice({ action: 'device.manage', device });
        return 'allowed';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(code(PUMP)).toBe('forbidden');
    expect(code(GATE)).toBe('device_not_found');
  });

  it('cannot be handed on beyond what one holds', () => {
    const all = rightsOf([grant([allow(['*'])])]);
    const some = rightsOf([grant([allow(['device.*', 'job.read'], { selector: 'tag:pump' })])]);
    const narrower = rightsOf([grant([allow(['device.read'], { selector: 'tag:pump' })], 'site:vilnius/*')]);
    const wider = rightsOf([grant([allow(['device.read'])])]);
    const paths = (api: Record<string, ('read' | 'write')[]>) =>
      rightsOf([grant([allow(['device.*'], { devices: { api } })])]);
    const denied = rightsOf([grant([allow(['*']), deny(['device.manage'], { selector: 'tag:gate' })])]);
    expect(all.missing(some)).toBeNull();
    expect(some.missing(narrower)).toBeNull();
    expect(some.missing(wider)).not.toBeNull();
    expect(some.missing(all)).not.toBeNull();
    expect(some.missing(wider)).toBe('device.read');
    expect(paths({ '/a/*': ['read'] }).missing(paths({ '/a/b': ['read'] }))).toBeNull();
    expect(paths({ '/a/b': ['read'] }).missing(paths({ '/a/*': ['read'] }))).not.toBeNull();
    expect(paths({ '/a/*': ['read'] }).missing(paths({ '/a/*': ['read', 'write'] }))).not.toBeNull();
    expect(denied.missing(all)).not.toBeNull();
    expect(new Rights([]).missing(some)).not.toBeNull();
  });

  it('are explained by the rule that decided', () => {
    const rights = rightsOf([grant([allow(['*']), deny(['device.call_write'], { selector: 'tag:gate' })])]);
    const denied = explain(rights, { action: 'device.call_write', device: GATE, path: '/api/x' });
    expect(denied).toMatchObject({ allowed: false, rules: [{ role: 'own', rule: 2, effect: 'deny' }] });
    expect(denied.because).toContain('denied by rule 2 of the role own (devices: tag:gate)');
    expect(explain(rights, { action: 'device.read', device: PUMP }).because).toContain('allowed by rule 1');
    expect(explain(rightsOf([]), { action: 'device.read' }).because).toContain('nothing in the roles');
  });

  it.each<[string, readonly Grant[], object, boolean, boolean]>([
    ['for all devices', [grant([allow(['*'])])], {}, true, false],
    ['for the devices of its selector', [grant([allow(['*'])], 'tag:pump')], {}, true, true],
    ['for all but the denied devices', [grant([allow(['*']), deny(['*'], { selector: 'tag:gate' })])], {}, true, true],
    ['for none where all are denied', [grant([allow(['*'], { selector: 'tag:gate' }), deny(['*'])])], {}, false, false],
    ['for the device that is named', [grant([allow(['*'])], 'tag:pump')], { device: PUMP }, true, false],
    [
      'for none where the paths are to read',
      [grant([allow(['device.*'], { devices: { api: { '/system/*': ['read'] } } })])],
      {},
      false,
      false,
    ],
    ['for none where nothing allows it', [grant([allow(['job.*'])])], {}, false, false],
  ])('are explained without a device: %s', (_, grants, request, allowed, inPart) => {
    const told = explain(rightsOf([...grants]), { action: 'device.call_write', ...request });
    expect(told).toMatchObject({ allowed, inPart });
    expect(told.because.includes('is allowed by')).toBe(allowed);
  });

  it.each([
    ['/api/system/actions/reboot', true, false],
    ['/api/wireguard/config', false, false],
    [undefined, true, true],
  ])('are explained at the path %s', (path, allowed, inPart) => {
    const devices = { api: { '/system/*': ['write' as const] } };
    const rights = rightsOf([grant([allow(['device.call_write'], { devices })])]);
    expect(explain(rights, { action: 'device.call_write', path })).toMatchObject({ allowed, inPart });
  });

  it('are explained where a role that is narrowed to some devices gives nothing about the gateway itself', () => {
    const rights = rightsOf([grant([allow(['*'])], 'site:vilnius/*')]);
    const { allowed, because } = explain(rights, { action: 'webhook.manage' });
    expect([allowed, because]).toEqual([false, expect.stringContaining('about the gateway itself')]);
    const narrowed = explain(rights, { action: 'device.read', device: GATE });
    expect(narrowed.because).not.toContain('gateway itself');
  });
});

describe('access lists', () => {
  it.each([
    ['/system/*', '/api/system', true],
    ['/system/*', '/api/system/device/status', true],
    ['/system/*', '/api/systemd', false],
    ['/system', '/api/system/device', false],
    ['/api/system/device', '/api/system/device', true],
    ['*', '/api/anything', true],
    ['/*', '/api/anything', true],
    ['/System/*', '/api/system/x', false],
    ['/v1/system/*', '/api/system/x', true],
    ['/api/v1.2/v3/system/device', '/api/system/device', true],
    ['/v1/*', '/api/anything', true],
  ])('%s and %s: %p', (pattern, path, expected) => {
    expect(new PathRules({ api: { [pattern]: ['read'] } }, false).covers('read', path)).toBe(expected);
    expect(new PathRules({ api: { [pattern]: ['read'] } }, false).covers('write', path)).toBe(false);
  });
});

describe('the built-in roles', () => {
  it('hold only what there is, and the administrator holds all of it', () => {
    for (const role of ROLES) {
      const rights = rightsOf([{ role, selector: null, rules: builtInRules(role) }]);
      const held = PERMISSION_NAMES.filter((action) => rights.everywhere(action));
      if (role === 'administrator') expect(held).toEqual(PERMISSION_NAMES);
      expect(held.length).toBeGreaterThan(5);
    }
  });

  it.each([
    ['viewer', 'device.call_read', true],
    ['viewer', 'device.read_secrets', false],
    ['viewer', 'device.call_write', false],
    ['operator', 'device.call_write', true],
    ['operator', 'key.manage', false],
    ['deployer', 'job.start', true],
    ['deployer', 'device.call_write', false],
    ['security', 'lock.manage', true],
    ['security', 'job.start', false],
    ['auditor', 'audit.export', true],
    ['auditor', 'device.call_read', false],
  ] as const)('%s and %s: %p', (role, action, expected) => {
    const rights = rightsOf([{ role, selector: null, rules: builtInRules(role) }]);
    expect(rights.allows({ action })).toBe(expected);
  });
});

describe('a selector of a right', () => {
  it.each(['@pumps', 'tag:a & !(site:b | @pumps)', 'seen<2h'])('cannot be %s', (text) => {
    expect(() => readRightSelector(text)).toThrow('The selector is not valid');
  });
});
