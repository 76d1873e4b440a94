import { createHash } from 'node:crypto';
import { type DeviceScope, EVERY_PATH } from '../../platform/actor.js';
import { AppError, type ErrorCode } from '../../platform/errors.js';
import { type DeviceAcl, PathRules } from './device-acl.js';
import { infoOf, type Permission, PERMISSION_NAMES, permissionsOf } from './permissions.js';

/*
 * The rights of a caller: roles × selector × permission × action and path on the device. Pure; compiled once for each
 * operator and each key, checked on every request.
 *
 * - Without a rule that allows it, an action is denied. A rule that denies has priority over all that allow.
 * - A rule with a selector applies to that selector's devices only, not to the gateway itself.
 * - A denial of reading a device denies everything about it: its jobs and answers would reveal it.
 * - A rule with an access list allows calls at those paths only; one that denies, denies only those calls.
 * - A key is a second layer on top of its operator: both layers must allow.
 * - Own data need no role. A key whose scope lists permissions may change own data only with `self.change`.
 *
 * A request without a device asks whether any device would be allowed: routes are guarded that way before the device
 * is known. The same holds for a request without a path.
 */

export interface Rule {
  readonly effect: 'allow' | 'deny';
  /** `device.read`, `device.*` or `*`. */
  readonly permissions: readonly string[];
  /** The devices; null: all. */
  readonly selector: string | null;
  /** The access list: paths of calls, not devices; null: all. */
  readonly devices: DeviceAcl | null;
}

export interface Grant {
  readonly role: string;
  readonly selector: string | null;
  readonly rules: readonly Rule[];
}

/** The part of a device that this module knows; the selector reads the rest. */
export interface ScopedDevice {
  readonly id: string;
  /** For errors, where the caller may know it. */
  readonly name?: string;
}

/** A parsed selector. */
export interface CompiledSelector {
  readonly text: string;
  matches(device: ScopedDevice): boolean;
  /** As a condition on table `device`; adds its values to `values`. */
  sql(values: unknown[], now: Date): string;
  /** Whether its text can reveal single devices. */
  namesDevices(): boolean;
  /** Whether it names this custom field. */
  namesField(key: string): boolean;
}

export interface RequiredRight {
  readonly action: Permission;
  /** Canonical path on the device, for permissions about calls. */
  readonly path?: string | undefined;
}

export interface AccessRequest extends RequiredRight {
  readonly device?: ScopedDevice | undefined;
}

/** The rule that decided, for people. */
export interface RuleRef {
  readonly layer: 'operator' | 'key';
  readonly role: string;
  /** Position in its role, from 1. */
  readonly rule: number;
  readonly effect: 'allow' | 'deny';
  readonly permissions: readonly string[];
  readonly selectors: readonly string[];
  readonly paths: DeviceAcl | null;
}

export interface RightsVerdict {
  readonly allowed: boolean;
  /** The rule that denied, or in each layer the one that allowed. Empty: no rule allows it. */
  readonly by: readonly RuleRef[];
  /** The layer that did not allow it. */
  readonly refusedIn: RuleRef['layer'] | null;
}

interface CompiledRule {
  readonly ref: RuleRef;
  readonly selectors: readonly CompiledSelector[];
  readonly paths: PathRules | null;
}

interface RulesFor {
  readonly allows: readonly CompiledRule[];
  readonly denies: readonly CompiledRule[];
  /** Allowed for every device at every path, so no rule is checked. */
  readonly always: boolean;
}

/** The rules of an operator's roles, or those of a key's scope. */
export class Layer {
  private readonly rules = new Map<Permission, RulesFor>();
  /** All input of the layer: layers with the same text allow the same. */
  readonly text: string;

  constructor(
    readonly name: RuleRef['layer'],
    grants: readonly Grant[],
    readSelector: (text: string) => CompiledSelector | null,
  ) {
    this.text = JSON.stringify([name, grants]);
    const compiled = grants.flatMap((grant) =>
      grant.rules.flatMap((rule, index) => compileRule(name, grant, rule, index, readSelector)),
    );
    for (const permission of PERMISSION_NAMES) {
      const those = compiled.filter(({ names, rule }) => names.has(permission) && isAbout(permission, rule));
      const allows = those.filter(({ rule }) => rule.ref.effect === 'allow').map(({ rule }) => rule);
      const denies = those.filter(({ rule }) => rule.ref.effect === 'deny').map(({ rule }) => rule);
      if (allows.length === 0) continue;
      const always = denies.length === 0 && allows.some((rule) => isUnbounded(rule, permission));
      this.rules.set(permission, { allows, denies, always });
    }
  }

  allows(request: AccessRequest): boolean {
    const rules = this.rules.get(request.action);
    if (!rules) return false;
    if (rules.always) return true;
    return !rules.denies.some((rule) => applies(rule, request)) && rules.allows.some((rule) => applies(rule, request));
  }

  /** The rule that decides; null when none does, which denies. */
  deciding(request: AccessRequest): RuleRef | null {
    const { allows = [], denies = [] } = this.rules.get(request.action) ?? {};
    return (
      (denies.find((rule) => applies(rule, request)) ?? allows.find((rule) => applies(rule, request)))?.ref ?? null
    );
  }

  /** The rules that allow it for some device, at a path if given, else at any. */
  allowing({ action, path }: RequiredRight): readonly RuleRef[] {
    const { allows = [] } = this.rules.get(action) ?? {};
    return allows.filter((rule) => appliesToPath(rule, action, path)).map(({ ref }) => ref);
  }

  isAlways(permission: Permission): boolean {
    return this.rules.get(permission)?.always ?? false;
  }

  /** The devices that a right covers, as SQL; null: all. */
  condition({ action, path }: RequiredRight): DeviceScope | null {
    const rules = this.rules.get(action);
    if (!rules) return NO_DEVICE;
    if (rules.always) return null;
    const about = (those: readonly CompiledRule[]) => those.filter((rule) => appliesToPath(rule, action, path));
    const allows = about(rules.allows);
    const denies = about(rules.denies);
    if (allows.length === 0) return NO_DEVICE;
    if (denies.length === 0 && allows.some(({ selectors }) => selectors.length === 0)) return null;
    return (values, now) => {
      const all = ({ selectors }: CompiledRule) =>
        selectors.length === 0 ? 'true' : selectors.map((one) => one.sql(values, now)).join(' and ');
      const any = (those: readonly CompiledRule[]) => those.map((rule) => `(${all(rule)})`).join(' or ');
      return `((${any(allows)})${denies.length > 0 ? ` and not (${any(denies)})` : ''})`;
    };
  }

  /**
   * The devices that a permission reaches, as one selector, where it is not held for all of them; null: all. Rules with
   * paths count as far as they allow any call, or deny all.
   */
  selector(action: Permission): string | null {
    const rules = this.rules.get(action);
    if (!rules || rules.always) return null;
    const any = (those: readonly CompiledRule[]) => {
      const about = those.filter((rule) => appliesToPath(rule, action, undefined));
      if (about.length === 0) return null;
      return about.some(({ selectors }) => selectors.length === 0) ? 'all' : about.map(allOf).join(' | ');
    };
    const allowed = any(rules.allows) ?? '!all';
    const denied = any(rules.denies);
    if (denied === null) return allowed === 'all' ? null : allowed;
    return allowed === 'all' ? `!(${denied})` : `(${allowed}) & !(${denied})`;
  }

  /** Whether this layer certainly allows all that another layer allows of a permission. */
  covers(other: Layer, permission: Permission): boolean {
    const theirs = other.rules.get(permission)?.allows ?? [];
    if (theirs.length === 0 || this.isAlways(permission)) return true;
    const ours = this.rules.get(permission);
    if (!ours || ours.denies.length > 0) return false;
    return theirs.every((their) => ours.allows.some((our) => includes(our, their, permission)));
  }

  /** Whether any rule of this layer allows a permission somewhere. */
  grants(permission: Permission): boolean {
    return this.rules.has(permission);
  }
}

export class Rights {
  private digestOfRules: Buffer | null = null;

  constructor(private readonly layers: readonly Layer[]) {}

  /** A digest of the rules: equal digests allow the same. */
  get digest(): Buffer {
    this.digestOfRules ??= createHash('sha256')
      .update(this.layers.map(({ text }) => text).join('\n'))
      .digest();
    return this.digestOfRules;
  }

  /** The hot path: no allocation, and for a role that is not narrowed only a map look-up. */
  allows(request: AccessRequest): boolean {
    if (infoOf(request.action).about === 'self') return this.allowsSelf(request.action);
    for (const layer of this.layers) if (!layer.allows(request)) return false;
    return this.layers.length > 0;
  }

  /** As `allows`, with the deciding rule. */
  judge(request: AccessRequest): RightsVerdict {
    if (infoOf(request.action).about === 'self') {
      const allowed = this.allowsSelf(request.action);
      return { allowed, by: [], refusedIn: allowed ? null : 'key' };
    }
    const by: RuleRef[] = [];
    for (const layer of this.layers) {
      const rule = layer.deciding(request);
      if (rule?.effect !== 'allow') return { allowed: false, by: rule ? [rule] : [], refusedIn: layer.name };
      by.push(rule);
    }
    return { allowed: this.layers.length > 0, by, refusedIn: this.layers.length > 0 ? null : 'operator' };
  }

  /**
   * The rules by which what is allowed is so for some devices, or at some paths; null: for all of them. A request that names a
   * device is about that one.
   */
  partial({ action, device, path }: AccessRequest): readonly RuleRef[] | null {
    if (device || infoOf(action).about !== 'device') return null;
    const isWhole = path === undefined ? this.everywhere(action) : this.scope(action, path) === null;
    return isWhole ? null : this.layers.flatMap((layer) => layer.allowing({ action, path }));
  }

  /**
   * Every caller may see its own data. A key whose scope names permissions may change them only with that permission: a
   * thief of a narrow key must not end or make other keys.
   */
  private allowsSelf(permission: Permission): boolean {
    return permission === 'self.read' || this.layers.every((layer) => layer.name !== 'key' || layer.grants(permission));
  }

  /** @throws AppError `forbidden` that names the permission, and the path where there is one */
  require(request: AccessRequest): void {
    if (this.allows(request)) return;
    const { action, path } = request;
    throw refusal({ permission: action, path });
  }

  /**
   * Requires a right to a device as it would be after a change: no caller may move one out of their own rights.
   * @throws AppError `forbidden` that says so
   */
  requireAfter(request: AccessRequest & { readonly device: ScopedDevice }): void {
    if (this.allows(request)) return;
    throw refusal({ permission: request.action, reason: LEAVES });
  }

  /**
   * Requires a right to an object that the caller may not see. A caller who cannot read its device gets the error of a
   * missing object.
   * @param hidden that error
   * @throws AppError `hidden`, or `forbidden` that names the device, too
   */
  requireOnDevice(
    request: AccessRequest & { readonly device: ScopedDevice },
    hidden: ErrorCode = 'device_not_found',
  ): void {
    if (this.allows(request)) return;
    const { action, device, path } = request;
    if (!this.allows({ action: 'device.read', device })) throw new AppError(hidden);
    throw refusal({ permission: action, device: device.name, path });
  }

  /** Whether it is allowed for every device at every path, and so also for objects without a device. */
  everywhere(permission: Permission): boolean {
    return this.layers.length > 0 && this.layers.every((layer) => layer.isAlways(permission));
  }

  /** The devices for which the permission is held, at a path if given, or at `EVERY_PATH`; null: all. */
  scope(permission: Permission, path?: string): DeviceScope | null {
    const conditions = this.layers.flatMap((layer) => layer.condition({ action: permission, path }) ?? []);
    if (this.layers.length === 0) return NO_DEVICE;
    if (conditions.length === 0) return null;
    return (values, now) => conditions.map((condition) => condition(values, now)).join(' and ');
  }

  /** The devices of `scope`, as a condition on table `device` that adds its values; `true`: all. */
  sql(permission: Permission, values: unknown[], now: Date, path?: string): string {
    return this.scope(permission, path)?.(values, now) ?? 'true';
  }

  /** As `scope` without a path, as a text; null: all devices. Callers have checked `allows`. */
  selector(permission: Permission): string | null {
    const texts = this.layers.flatMap((layer) => layer.selector(permission) ?? []);
    return texts.length === 0 ? null : texts.map((text) => (texts.length > 1 ? `(${text})` : text)).join(' & ');
  }

  /**
   * The first permission that the other rights have and these may lack; null: none. Selectors are compared as texts: a
   * subset is recognised only when it is written as the same selector with additions.
   */
  missing(other: Rights): Permission | null {
    return (
      PERMISSION_NAMES.find(
        (permission) =>
          other.holds(permission) &&
          (infoOf(permission).about === 'self'
            ? !this.allowsSelf(permission)
            : !other.layers.some((layer) => this.coversLayer(layer, permission))),
      ) ?? null
    );
  }

  /** Whether these rights certainly allow all that the others allow; equal rules do. */
  includes(other: Rights): boolean {
    return this.digest.equals(other.digest) || this.missing(other) === null;
  }

  /** Whether every layer grants the permission for some device. */
  private holds(permission: Permission): boolean {
    return infoOf(permission).about === 'self'
      ? this.allowsSelf(permission)
      : this.layers.every((layer) => layer.grants(permission));
  }

  private coversLayer(other: Layer, permission: Permission): boolean {
    return this.layers.length > 0 && this.layers.every((layer) => layer.covers(other, permission));
  }
}

export const NO_RIGHTS = new Rights([]);

/** The selectors of a rule, all of which a device must match. */
const allOf = ({ selectors }: CompiledRule): string =>
  selectors.length === 1 ? `(${selectors[0]!.text})` : `(${selectors.map(({ text }) => `(${text})`).join(' & ')})`;

const NO_DEVICE: DeviceScope = () => 'false';

const ABOUT_DEVICES = PERMISSION_NAMES.filter((permission) => infoOf(permission).about === 'device');

function compileRule(
  layer: RuleRef['layer'],
  grant: Grant,
  rule: Rule,
  index: number,
  readSelector: (text: string) => CompiledSelector | null,
): { names: ReadonlySet<Permission>; rule: CompiledRule }[] {
  const texts = [grant.selector, rule.selector].filter((text) => text !== null);
  const selectors = texts.map(readSelector);
  const isReadable = selectors.every((selector) => selector !== null);
  // A selector that cannot be read allows nothing, and denies everything.
  if (!isReadable && rule.effect === 'allow') return [];
  const { effect, permissions, devices } = rule;
  return [
    {
      names: namesOf(rule),
      rule: {
        ref: { layer, role: grant.role, rule: index + 1, effect, permissions, selectors: texts, paths: devices },
        selectors: isReadable ? selectors : [],
        paths: devices && new PathRules(devices, effect === 'deny'),
      },
    },
  ];
}

/** The permissions of a rule. A denial of reading a device must hide it in all other answers, too. */
function namesOf({ effect, permissions, devices }: Rule): ReadonlySet<Permission> {
  const names = permissions.flatMap(permissionsOf);
  const hides = effect === 'deny' && devices === null && names.includes('device.read');
  return new Set(hides ? [...names, ...ABOUT_DEVICES] : names);
}

/** The rule that gives what this denial takes away. */
export function ruleUndoing(denial: Rule): Rule {
  const isCalls = denial.devices !== null;
  const permissions = [...namesOf(denial)].filter((name) => !isCalls || infoOf(name).call !== undefined);
  return { ...denial, effect: 'allow', permissions };
}

function isAbout(permission: Permission, { ref, selectors, paths }: CompiledRule): boolean {
  const { about, call } = infoOf(permission);
  if (about === 'gateway' && selectors.length > 0) return false;
  return ref.effect === 'allow' || paths === null || call !== undefined;
}

function isUnbounded({ selectors, paths }: CompiledRule, permission: Permission): boolean {
  const { call } = infoOf(permission);
  return selectors.length === 0 && (paths === null || call === undefined || paths.hasAll(call));
}

function applies(rule: CompiledRule, { action, device, path }: AccessRequest): boolean {
  if (!appliesToPath(rule, action, path)) return false;
  if (device === undefined) return rule.ref.effect === 'allow' || rule.selectors.length === 0;
  for (const selector of rule.selectors) if (!selector.matches(device)) return false;
  return true;
}

function appliesToPath({ ref, paths }: CompiledRule, action: Permission, path: string | undefined): boolean {
  const { call } = infoOf(action);
  if (paths === null || call === undefined) return true;
  if (path === EVERY_PATH) return ref.effect === 'allow' ? paths.hasAll(call) : paths.hasAny(call);
  if (path !== undefined) return paths.covers(call, path);
  return ref.effect === 'allow' ? paths.hasAny(call) : paths.hasAll(call);
}

/** Whether one rule allows all that another allows, as far as their texts tell. */
function includes(our: CompiledRule, their: CompiledRule, permission: Permission): boolean {
  const { call } = infoOf(permission);
  if (!our.ref.selectors.every((text) => their.ref.selectors.includes(text))) return false;
  if (our.paths === null || call === undefined) return true;
  return our.paths.hasAll(call) || (their.paths !== null && our.paths.includes(their.paths, call));
}

/** The fact `reason` of a change after which the caller could not manage the device. */
export const LEAVES = 'after this change the device would be outside of what you may manage';

/** `forbidden` with the facts that are known. */
function refusal(facts: Readonly<Record<string, string | undefined>>): AppError {
  return new AppError(
    'forbidden',
    Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined)),
  );
}
