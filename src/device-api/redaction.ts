import { unversioned } from './contract.js';
import { isMarker } from './redaction-marker.js';
import { isNoSecret, isNoSecretPart, isPublicName, isSecretName, MAX_NAME, saysAboutSecret } from './secret-names.js';
import { matchesWildcard } from './wildcard.js';

/*
 * Finds secrets in a device's JSON. The API has hundreds of services and grows with each firmware, so no list can be
 * complete. Rules for the path of a field decide first, then its name, then the shape of its value, and a likely secret
 * is hidden. A fingerprint replaces it, so that "changed or not" stays visible. Pure.
 */

/** Characters of text that are searched in one value; each text beyond them is hidden completely. */
const MAX_SCANNED = 1024 * 1024;

/**
 * Values that get a fingerprint of their own, at 5 µs each. Secrets beyond share one that says nothing about them, and a
 * text with one of these is hidden completely: 1 MB of `pwd="a" ` would become 3.5 MB, and each of ten searches goes through them.
 */
const MAX_FINGERPRINTS = 5_000;
const TOO_MANY = 'too many secrets';

/** Hides or shows fields below a path; the first matching rule decides. */
export interface RedactionRule {
  /** A path as the device's access lists write it, without `/api`: `/wireguard/*`, `/snmp/global`. */
  readonly path: string;
  /** Names of fields; `*` means any run of characters. */
  readonly fields: readonly string[];
  readonly shown: boolean;
}

export interface RedactedValue {
  readonly value: unknown;
  /** How many values were replaced. */
  readonly hidden: number;
}

/** Where names alone mislead (observed-devices.md 3, and the option names of OpenWrt behind it). */
const RULES: readonly RedactionRule[] = [
  { path: '/wireguard/actions/generate_keys', fields: ['private'], shown: false },
  { path: '/wireguard/actions/generate_keys', fields: ['public'], shown: true },
  { path: '/snmp/communities/*', fields: ['name', 'secname'], shown: false },
  { path: '/certificates/config', fields: ['type', 'key_size'], shown: true },
  { path: '/users/groups/*', fields: ['read', 'write'], shown: true },
];

/** Values that are keys or tokens by their form, whatever they are called. Without flags: they are joined below. */
const SECRET_SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|STATIC KEY)/,
  /PuTTY-User-Key-File|AGE-SECRET-KEY-1/,
  /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/, // 32 bytes in base64: a WireGuard key
  /^[A-Fa-f0-9]{64}$/, // 32 bytes in hex: a key of WPA
  /^\$(?:1|2[abxy]?|5|6|7|y|apr1|argon2(?:id?|d))\$/, // crypt(5)
  /^\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT)\}/, // RFC 3112 and what directories made of it
  /^eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/, // a JSON web token
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\b(?:gh[pousr]_[A-Za-z0-9]{30,}|xox[abprs]-[\w-]{10,}|fg_[A-Za-z0-9_]{20,})/,
];

/** Any of them: nearly all texts are none, and one look says so. */
const ANY_SHAPE = new RegExp(SECRET_SHAPES.map(({ source }) => source).join('|'));

/** DER of a private key in base64: a sequence that begins with its version number (RFC 5958, RFC 8017). */
const LONG_BASE64_MIN = 80;
const LONG_BASE64 = /^[A-Za-z0-9+/\s]{80,}={0,2}$/;

/** A file on the device is named, not held (specification, Generated certificate files). */
const FILE_PATH = /^\/(?:etc|tmp|usr|var|mnt|lib|log)\/[\w./-]{1,200}$/;
const NEVER_A_FILE = /passw|passphrase|token|psk|pin$/;

/** Secrets inside running text: log lines, configuration files, commands, addresses. The first group stays. */
const IN_TEXT: readonly RegExp[] = [
  /((?:passw(?:or)?d|passphrase|secret|token|psk|private_?key|api_?key|pwd)["']?\s*[:=]\s*")((?:[^"\\]|\\.)+)/gi,
  /((?:passw(?:or)?d|passphrase|secret|token|psk|private_?key|api_?key|pwd)["']?\s*[:=]\s*')((?:[^'\\]|\\.)+)/gi,
  /((?:passw(?:or)?d|passphrase|secret|token|psk|private_?key|api_?key|pwd)["']?\s*[:=]\s*["']?)([^\s"',;&<>]+)/gi,
  /(\boption\s+[\w']*(?:password|passphrase|secret|token|psk|private_?key|key)'?\s+['"])([^'"]+)/gi,
  /(\bBearer\s+)([\w.~+/=-]+)/g,
  /(:\/\/[^\s/:@]*:)([^\s/]+)(?=@)/g,
];

/** A cheap sign that a text may hold one of them. */
const MAY_HOLD = /passw|passphrase|secret|token|psk|private_?key|api_?key|pwd|option\s|bearer|:\/\//i;

/** Keys and digests of passwords inside running text, such as the sentence in which a device refuses one. */
const KEYS_IN_TEXT: readonly RegExp[] = [
  /(?<![A-Za-z0-9+])[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=(?![A-Za-z0-9+/=])/g,
  /(?<![A-Za-z0-9])[A-Fa-f0-9]{64}(?![A-Za-z0-9])/g,
  /\$(?:1|2[abxy]?|5|6|7|y|apr1|argon2(?:id?|d))\$[\w./$=,+-]+/g,
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
];

const SHORTEST_KEY = 12;

/** Deeper than any answer of a device; below it nothing is read, so nothing is shown. */
const MAX_DEPTH = 64;
const TOO_DEEP = 'nested too deeply';

/**
 * Hides what is or looks like a secret in a device's JSON.
 * @param value the parsed body of a request or an answer
 * @param path canonical device path that it belongs to, such as `/api/wireguard/config`; its version does not matter
 * @param fingerprint makes the text in the place of a secret, such as `Secrets.fingerprint`
 * @param own rules that go before ours
 * @returns a copy; `value` itself when nothing in it is secret
 */
export function redact(
  value: unknown,
  path: string,
  fingerprint: (text: string) => string,
  own: readonly RedactionRule[] = [],
): RedactedValue {
  const walk = new Walk(path, fingerprint, own);
  return { value: walk.visit(value, 0), hidden: walk.hidden };
}

/** As `redact`, each item by the rules of its own path. @param paths of the items, in the order of the request */
export function redactBulk(
  body: unknown,
  paths: readonly string[],
  fingerprint: (text: string) => string,
  own: readonly RedactionRule[] = [],
): RedactedValue {
  if (!isRecord(body) || !Array.isArray(body['data'])) return redact(body, '/api/bulk', fingerprint, own);
  const { data, ...rest } = body as { data: unknown[] };
  const around = redact(rest, '/api/bulk', fingerprint, own);
  const items = data.map((item, index) => redact(item, paths[index] ?? '/api/bulk', fingerprint, own));
  const hidden = items.reduce((sum, item) => sum + item.hidden, around.hidden);
  const value = { ...(around.value as object), data: items.map((item) => item.value) };
  return { value: hidden === 0 ? body : value, hidden };
}

/** Hides what is secret in a query string, which stays otherwise as it is, byte for byte. */
export function redactQuery(
  query: string,
  path: string,
  fingerprint: (text: string) => string,
  own: readonly RedactionRule[] = [],
): { readonly query: string; readonly hidden: number } {
  const walk = new Walk(path, fingerprint, own);
  const parts = query.split('&').map((part) => {
    const cut = part.indexOf('=');
    if (cut < 0) return part;
    const name = decoded(part.slice(0, cut));
    const clear = decoded(part.slice(cut + 1));
    const shown = walk.field(name, clear, 0, false);
    return shown === clear ? part : `${part.slice(0, cut)}=${String(shown)}`;
  });
  return { query: parts.join('&'), hidden: walk.hidden };
}

/** Reads rules, one a line or parted by `;`: `hide /wireless/* ssid,key_hint`. @throws Error with the wrong line */
export function parseRedactionRules(text: string): RedactionRule[] {
  return text
    .split(/[\n;]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const found = /^(hide|show)\s+(\/[\w./*-]*)\s+([\w.*-]+(?:\s*,\s*[\w.*-]+)*)$/.exec(line);
      if (!found) throw new Error(`"${line}" is not a rule such as "hide /wireless/* ssid" or "show /snmp/global sid"`);
      return { path: found[2]!, fields: found[3]!.split(',').map((field) => field.trim()), shown: found[1] === 'show' };
    });
}

/**
 * Status resources are measured, not configured; these lists name things (observed-devices.md 3). The document of the API
 * is a part of the firmware.
 */
const WITHOUT_SECRETS =
  /\/status$|^\/api\/openapi\.json$|^\/api\/(?:events_log|data_usage|firmware|session|unauthorized|users)\/|^\/api\/certificates\/config$/;

/** Whether the answer to a read of a path can contain secrets, so that a read in clear needs an audit entry. */
export const mayHoldSecrets = (path: string): boolean => !WITHOUT_SECRETS.test(path);

/** Whether a value under a secret name is none by its form. */
type IsShown = (name: string, value: unknown) => boolean;

/** For what a rule hides: the form of a value does not matter. */
const NOTHING: IsShown = () => false;

/** One pass over one value. */
class Walk {
  hidden = 0;
  private readonly rules: readonly RedactionRule[];
  private scanned = 0;
  private shared: string | null = null;

  constructor(
    path: string,
    private readonly fingerprint: (text: string) => string,
    own: readonly RedactionRule[],
  ) {
    const plain = unversioned(path);
    this.rules = [...own, ...RULES].filter((rule) => matches(rule.path, plain));
  }

  visit(value: unknown, depth: number): unknown {
    if (typeof value === 'string') return this.text(value, '');
    if (typeof value !== 'object' || value === null) return value;
    if (depth > MAX_DEPTH) return this.hide(TOO_DEEP);
    return Array.isArray(value) ? this.list(value, (item) => this.visit(item, depth + 1)) : this.record(value, depth);
  }

  /** A value under its name. `isPair`: whether another field of the same object names it as a secret. */
  field(name: string, value: unknown, depth: number, isPair: boolean): unknown {
    const rule = this.rules.find(({ fields }) => fields.some((field) => matches(field, name)));
    if (rule?.shown === true) return value;
    if (rule?.shown === false) return this.hideAll(name, value, depth, NOTHING);
    if (isSecretName(name)) return this.hideAll(name, value, depth, isNoSecret);
    if (isPair) return this.hideAll(name, value, depth, isNoSecretPart);
    return typeof value === 'string' ? this.text(value, name) : this.visit(value, depth);
  }

  private record(value: object, depth: number): unknown {
    const given = value as Record<string, unknown>;
    const isError = isCode(given['code']) && 'error' in given;
    const isPair = namesSecret(given);
    let changed = false;
    const entries: [string, unknown][] = [];
    for (const name of Object.keys(given)) {
      const inner = given[name];
      // A refused value (observed-devices.md 1.8) is the caller's input, often a password.
      const refused = isError && name === 'value';
      const kept = refused
        ? this.hideAll(name, inner, depth, isNoSecretPart)
        : isError && name === 'error'
          ? this.message(inner, given['value'])
          : this.field(name, inner, depth + 1, isPair && PAIR_VALUES.has(name));
      const keptName = this.name(name);
      if (kept !== inner || keptName !== name) changed = true;
      entries.push([keptName, kept]);
    }
    // Not by assignment: `__proto__` is a name like others here.
    return changed ? Object.fromEntries(entries) : value;
  }

  private name(name: string): string {
    return name.length > MAX_NAME || ANY_SHAPE.test(name) ? this.hide(name) : name;
  }

  /**
   * Hides every leaf below a secret name, but those that only say something about the secret.
   * @param isShown which values stay, by their form
   */
  private hideAll(name: string, value: unknown, depth: number, isShown: IsShown): unknown {
    if (value === null || typeof value === 'boolean' || value === '' || value === undefined) return value;
    if (isShown(name, value)) return value;
    if (typeof value === 'string') {
      if (FILE_PATH.test(value) && !NEVER_A_FILE.test(name.toLowerCase())) return value;
      return this.hide(value);
    }
    if (typeof value !== 'object') return this.hide(JSON.stringify(value));
    if (depth > MAX_DEPTH) return this.hide(TOO_DEEP);
    const isPartShown = isShown === NOTHING ? NOTHING : isNoSecretPart;
    if (Array.isArray(value)) return this.list(value, (item) => this.hideAll(name, item, depth + 1, isPartShown));
    const entries = Object.entries(value).map(([inner, item]) => [
      this.name(inner),
      saysAboutSecret(inner) && typeof item !== 'object'
        ? this.field(inner, item, depth + 1, false)
        : this.hideAll(inner, item, depth + 1, isPartShown),
    ]);
    return Object.fromEntries(entries);
  }

  /** The sentence of an error may repeat the value that was refused. */
  private message(text: unknown, refused: unknown): unknown {
    if (typeof text !== 'string') return this.visit(text, 0);
    const value = typeof refused === 'string' || typeof refused === 'number' ? String(refused) : '';
    const shown = value.length >= 3 && text.includes(value) ? text.replaceAll(value, this.hide(value)) : text;
    return this.text(shown, '');
  }

  private text(text: string, name: string): string {
    if (text.length < 5 || isMarker(text)) return text;
    this.scanned += text.length;
    if (this.scanned > MAX_SCANNED || hasSecretShape(text, name)) return this.hide(text);
    const shown = MAY_HOLD.test(text) ? this.without(IN_TEXT, text) : text;
    if (shown === null) return this.hide(text);
    return shown.length < SHORTEST_KEY || isPublicName(name) || shown.startsWith('-----BEGIN ')
      ? shown
      : (this.without(KEYS_IN_TEXT, shown) ?? this.hide(text));
  }

  /** Null: it has too many of them. */
  private without(patterns: readonly RegExp[], text: string): string | null {
    let shown: string | null = text;
    for (const pattern of patterns) shown = shown === null ? null : this.withoutMatches(pattern, shown);
    return shown;
  }

  /** By hand, and not by `replaceAll`: it ends at the first secret too many. */
  private withoutMatches(pattern: RegExp, text: string): string | null {
    let shown = '';
    let end = 0;
    for (const match of text.matchAll(pattern)) {
      const [all, kept = '', secret = all] = match;
      if (this.hidden >= MAX_FINGERPRINTS && !isMarker(secret)) return null;
      shown += text.slice(end, match.index) + kept + this.hide(secret);
      end = match.index + all.length;
    }
    return shown + text.slice(end);
  }

  private list(values: readonly unknown[], each: (value: unknown) => unknown): unknown {
    const kept = values.map(each);
    return kept.some((value, index) => value !== values[index]) ? kept : values;
  }

  private tooMany(): string {
    return (this.shared ??= this.fingerprint(TOO_MANY));
  }

  private hide(text: string): string {
    if (isMarker(text)) return text;
    this.hidden++;
    return this.hidden > MAX_FINGERPRINTS ? this.tooMany() : this.fingerprint(text);
  }
}

/** Firmware writes the code of a refusal as a number, or as text. */
const isCode = (code: unknown): boolean =>
  typeof code === 'number' || (typeof code === 'string' && /^\d{1,9}$/.test(code));

/** `{name: 'password', value: '…'}`: one field names what the other holds. */
const PAIR_NAMES = ['name', 'option', 'field', 'param', 'parameter', 'id'] as const;
const PAIR_VALUES: ReadonlySet<string> = new Set(['value', 'val', 'data', 'content', 'default']);

function namesSecret(record: Record<string, unknown>): boolean {
  return PAIR_NAMES.some((field) => {
    const name = record[field];
    return typeof name === 'string' && name.length <= 60 && isSecretName(name);
  });
}

function hasSecretShape(text: string, name: string): boolean {
  if (text.length >= LONG_BASE64_MIN && LONG_BASE64.test(text)) return isPrivateDer(text);
  if (!ANY_SHAPE.test(text)) return false;
  const isPublic = isPublicName(name);
  return SECRET_SHAPES.some((shape, index) => shape.test(text) && !(isPublic && (index === 2 || index === 3)));
}

/** SEQUENCE { INTEGER …: PKCS#1, PKCS#8 and SEC 1 private keys. A certificate or public key is SEQUENCE { SEQUENCE …. */
function isPrivateDer(text: string): boolean {
  const der = Buffer.from(text.slice(0, 80), 'base64');
  if (der[0] !== 0x30) return false;
  const lengthBytes = der[1]! >= 0x80 ? 1 + (der[1]! & 0x7f) : 1;
  return der[1 + lengthBytes] === 0x02;
}

/** Whether a pattern with `*` matches a name, or a path with or without its `/api`. */
function matches(pattern: string, given: string): boolean {
  const text = pattern.startsWith('/') && given.startsWith('/api/') ? given.slice('/api'.length) : given;
  return matchesWildcard(pattern, text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
