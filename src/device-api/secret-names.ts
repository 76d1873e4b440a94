import { LRUCache } from 'lru-cache';

/*
 * What the name of a field says about its value: a secret, something about a secret, or neither. Where devices write
 * secrets and other values under one name, the form of the value decides. Pure.
 */

/** A longer name is hidden, and so is what it names: options of devices have some ten characters. */
export const MAX_NAME = 256;

/** Names that hold one of these anywhere are secret. */
const SECRET_IN_NAME =
  /passw|passphrase|pass_?phrase|secret|priv(?:ate)?_?key|psk|pre_?shared|token|credential|api_?key|connection_?string|ubus_rpc_session|mnemonic/;

/** Names whose last word is one of these are secret; a number may follow (`key1` to `key4` of a wireless interface). */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  'pass', 'userpass', 'askpass', 'decrypt', 'pwd', 'pw', 'key', 'keys', 'pin', 'pincode', 'puk', 'pukcode', 'community',
  'communities', 'otp', 'totp', 'seed', 'cookie', 'cookies', 'session', 'sid', 'auth', 'authorization', 'bearer', 'salt', 'nonce', 'shadow', 'jwt', 'sae', 'wep', 'wpa',
]); // prettier-ignore

/** Words that end like `authkey` and `wpakey`, and are no key. */
const NO_KEYS: ReadonlySet<string> = new Set([
  'rekey',
  'monkey',
  'donkey',
  'hotkey',
  'turkey',
  'jockey',
  'hockey',
  'whiskey',
]);

/**
 * Words below which devices also write how something is protected, as one word: `auth: "pap"`, `wpa: [2]`. The value
 * decides then, by `PROTECTIONS`.
 */
const MAYBE_SECRET_WORDS: ReadonlySet<string> = new Set(['auth', 'authorization', 'session', 'sae', 'wep', 'wpa']);

/** How something is protected, as devices and OpenWrt write it. */
const PROTECTIONS: ReadonlySet<string> = new Set([
  'none', 'open', 'shared', 'both', 'any', 'all', 'auto', 'default', 'pap', 'chap', 'mschap', 'mschapv2', 'eap', 'md5', 'gtc',
  'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'tls', 'ttls', 'peap', 'psk', 'psk2', 'sae', 'owe', 'wep', 'wpa', 'wpa2',
  'wpa3', 'basic', 'digest', 'bearer', 'plain', 'login', 'cram-md5', 'password', 'serial', 'local', 'radius', 'skey',
  'eap-md5', 'eap-gtc', 'eap-tls', 'eap-mschapv2',
]); // prettier-ignore

const LONGEST_PROTECTION = 20;

/** Values that are no secret under any name: flags, and what devices write for an absent value. */
const NO_SECRETS: ReadonlySet<string> = new Set(['0', '1', 'on', 'off', 'yes', 'no', 'true', 'false', 'N/A', '-']);

/** Smaller numbers are counts, versions and levels: a short secret is text. */
const SMALL_NUMBER = 1_000;

/** Words for codes of digits, where each number may be the secret: `0042` as a number is 42. */
const CODE_WORDS: ReadonlySet<string> = new Set(['pin', 'pincode', 'puk', 'pukcode', 'otp', 'totp']);

/** Names that say something about a secret, not the secret itself. The shape of the value is looked at all the same. */
const SHOWN_NAMES =
  /^(?:is|has|use|enable|allow|require)_|pub(?:lic)?_?keys?$|(?:^|_)(?:hostkey|ssh_keys_count)$|_(?:enabled?|set|length|size|bits|type|policy|mode|method|expires?|expiry|expires_at|expires_in|lifetime|timeout|count|min|max|format|direction|usage|algorithm|required|strength|age|interval)$/;

/** Digests are as long as keys, and no secret. */
const DIGEST_NAMES = /sha_?(?:1|256|512)|md5|digest|checksum|fingerprint|hash_of|etag/;

/** Whether a field of this name holds a secret, or may hold one. */
export function isSecretName(name: string): boolean {
  if (name.length > MAX_NAME) return true;
  const known = judged.get(name);
  if (known !== undefined) return known;
  const plain = plainName(name);
  const secret =
    !SHOWN_NAMES.test(plain) &&
    !DIGEST_NAMES.test(plain) &&
    (SECRET_IN_NAME.test(plain) || isSecretWord(lastWord(plain)));
  judged.set(name, secret);
  return secret;
}

/** Whether a name says something about a secret, and its value is not the secret itself. */
export const saysAboutSecret = (name: string): boolean => name.length <= MAX_NAME && SHOWN_NAMES.test(plainName(name));

/** Whether a value directly under a name cannot be a secret, by its form: a flag, a small number, or a word for a kind of protection. */
export function isNoSecret(name: string, value: unknown): boolean {
  if (typeof value === 'number') return isSmallNumber(value) && !isCodeName(name);
  if (typeof value !== 'string') return false;
  if (NO_SECRETS.has(value)) return true;
  if (value.length > LONGEST_PROTECTION || !isMaybeSecret(name)) return false;
  return PROTECTIONS.has(value.toLowerCase()) || /^\d{1,3}$/.test(value);
}

/** As `isNoSecret`, for a part of a secret, such as an item of a list: a key may be written as the numbers of its bytes. */
export function isNoSecretPart(name: string, value: unknown): boolean {
  return typeof value === 'number' ? isSmallNumber(value) && isMaybeSecret(name) : isNoSecret(name, value);
}

const isSmallNumber = (value: number): boolean => Math.abs(value) < SMALL_NUMBER;

const isCodeName = (name: string): boolean => name.length > MAX_NAME || CODE_WORDS.has(lastWord(plainName(name)));

function isMaybeSecret(name: string): boolean {
  if (name.length > MAX_NAME) return false;
  const known = maybeSecret.get(name);
  if (known !== undefined) return known;
  const plain = plainName(name);
  const isMaybe = !SECRET_IN_NAME.test(plain) && MAYBE_SECRET_WORDS.has(lastWord(plain));
  maybeSecret.set(name, isMaybe);
  return isMaybe;
}

const isSecretWord = (word: string): boolean => SECRET_WORDS.has(word) || (word.endsWith('key') && !NO_KEYS.has(word));

/** The last word of a plain name that is no number. */
function lastWord(plain: string): string {
  return withoutNumber(plain.split('_').findLast((word) => withoutNumber(word) !== '') ?? '');
}

/** `key` for `key1`. By hand: `\d+$` would look at each figure once for every figure before it. */
function withoutNumber(word: string): string {
  let end = word.length;
  while (end > 0 && word[end - 1]! >= '0' && word[end - 1]! <= '9') end--;
  return word.slice(0, end);
}

/** Names come again and again; a device that makes up new ones must not fill the memory. */
const JUDGED_MAX = 5_000;
const judged = new LRUCache<string, boolean>({ max: JUDGED_MAX });
const maybeSecret = new LRUCache<string, boolean>({ max: JUDGED_MAX });

/** `privateKey`, `private-key` and `.PRIVATE_KEY` are one name. */
function plainName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
}

/** Whether a name says that its value is a public key or a digest, which look like keys. */
export function isPublicName(name: string): boolean {
  const plain = plainName(name);
  return /pub(?:lic)?_?keys?$/.test(plain) || DIGEST_NAMES.test(plain);
}
