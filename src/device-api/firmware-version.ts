/*
 * The version in a name of firmware, for all that compare versions. The version is the one run of dotted digits in the
 * name: `RUTX_R_00.07.16.3_hotfix1` and `OpenWrt 21.02.0 r16279-5cc0` have 7.16.3 and 21.2. A name without such a run, or
 * with two different ones, has no version that can be told: it is not compared. Pure.
 */

export interface FirmwareVersion {
  /** Without a `00` in front and zeros at the end. */
  readonly parts: readonly number[];
  /** What is in front of the version, such as `rutx_r`; empty when the name begins with it. */
  readonly product: string;
  /** What is behind it, such as `_hotfix1`; empty for most. */
  readonly suffix: string;
}

/** A device may answer megabytes of digits, which take 200 ms to parse. Real names have about 20 characters. */
const LONGEST_NAME = 256;

/** The largest part: an integer of Postgres. */
const LARGEST_PART = 2_147_483_647;

/** A larger first part is a year, a date or a number of a build. */
const LARGEST_FIRST_PART = 999;

/** A version with a part left open, such as `7.16.x`, is none. */
const OPEN_PART = /[0-9][.][xX*](?![A-Za-z0-9])/;

/** No letter or digit is in front of the run, but `v`: the 9 of RUT9 and the 2 of rc2 are parts of words. */
const DOTTED = /(?<![A-Za-z0-9.])[vV]?([0-9]+(?:[.][0-9]+)+)/g;

const ALONE = /^ *[vV]?([0-9]+) *$/;

/** Such as `-rc2`: before the release of the same number. */
const BEFORE_RELEASE =
  /^[-_.~ (]*(?:alpha|beta|rc|pre|preview|prerelease|dev|devel|development|snapshot|nightly|test|testing)(?![a-z])/;

/** @returns null when no version can be told. The SQL function `firmware_version` gives the same parts. */
export function firmwareVersion(name: string): FirmwareVersion | null {
  if (name.length > 2 * LONGEST_NAME || [...name].length > LONGEST_NAME) return null;
  if (OPEN_PART.test(name)) return null;
  const found = runsOf(name);
  const first = found[0];
  if (first === undefined || found.some(({ digits }) => partsOf(digits).join() !== partsOf(first.digits).join()))
    return null;
  const parts = partsOf(first.digits);
  if (parts[0]! > LARGEST_FIRST_PART || parts.some((part) => part > LARGEST_PART)) return null;
  return {
    parts,
    product: wordsOf(name.slice(0, first.from)),
    suffix: name
      .slice(first.from + first.digits.length)
      .trim()
      .toLowerCase(),
  };
}

/** Below 0 when `one` is older, by numbers; `7.16.3-rc2` is older than `7.16.3`. Null when it cannot be told. */
export function compareVersions(one: string, other: string): number | null {
  const [a, b] = [firmwareVersion(one), firmwareVersion(other)];
  if (a === null || b === null) return null;
  for (let part = 0; part < Math.max(a.parts.length, b.parts.length); part++) {
    const difference = (a.parts[part] ?? 0) - (b.parts[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return rankOf(a) - rankOf(b);
}

/**
 * The same, but null also for equal numbers with other words behind them: nothing tells whether `7.16.3_a` is before
 * `7.16.3_b`.
 */
export function ageOf(version: string, running: string | null): number | null {
  if (running === null) return null;
  const order = compareVersions(version, running);
  const isTold = order !== 0 || firmwareVersion(version)?.suffix === firmwareVersion(running)?.suffix;
  return isTold ? order : null;
}

/**
 * Whether two names mean one version: `RUTX_R_00.07.16.3` and `7.16.3` do, `7.16.3_hotfix1` and `7.16.3` do not. Two names
 * with a product must be equal.
 */
export function isSameVersion(one: string, other: string): boolean {
  if (one.toLowerCase() === other.toLowerCase()) return true;
  const [a, b] = [firmwareVersion(one), firmwareVersion(other)];
  if (a === null || b === null || a.suffix !== b.suffix) return false;
  return (a.product === '' || b.product === '') && a.parts.join() === b.parts.join();
}

const rankOf = ({ suffix }: FirmwareVersion): number => (BEFORE_RELEASE.test(suffix) ? 0 : 1);

interface Run {
  readonly digits: string;
  readonly from: number;
}

/** Behind `+` and `(` are numbers of builds, unless the name has a version only there. */
function runsOf(name: string): Run[] {
  const inFront = dottedIn(/^[^+(]*/.exec(name)![0]);
  if (inFront.length > 0) return inFront;
  const anywhere = dottedIn(name);
  if (anywhere.length > 0) return anywhere;
  const alone = ALONE.exec(name)?.[1];
  return alone === undefined ? [] : [{ digits: alone, from: name.indexOf(alone) }];
}

const dottedIn = (text: string): Run[] =>
  [...text.matchAll(DOTTED)].map((match) => ({
    digits: match[1]!,
    from: match.index + match[0].length - match[1]!.length,
  }));

/** The 00 of `00.07.16.3` is no part; the 0 of `0.9.1` is one. */
function partsOf(digits: string): number[] {
  const parts = digits
    .replace(/^00+[.]/, '')
    .split('.')
    .map(Number);
  while (parts.length > 1 && parts.at(-1) === 0) parts.pop();
  return parts;
}

/** Without separators at the ends, and without a `v` of the version itself. */
function wordsOf(text: string): string {
  const words = text.toLowerCase().replace(/(?<![a-z0-9])v$/, '');
  const from = words.search(/[a-z0-9]/);
  const signs = [...words].findLastIndex((sign) => /[a-z0-9]/.test(sign));
  return from < 0 ? '' : words.slice(from, signs + 1);
}

const RELEASE = /^(?:GPL_)?00\.(\d[\w.]{0,60})$/;

/** `RUT9M_R_00.07.16.3` as `07.16.3`; another name as it is. */
export function shortVersion(name: string): string {
  const at = name.lastIndexOf('_R_');
  return (at > 0 && RELEASE.exec(name.slice(at + 3))?.[1]) || name;
}
