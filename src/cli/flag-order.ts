import { UsageError } from './exit-codes.js';

/* Flags before the noun or the verb. Those of all commands are moved behind; where another one goes is said. */

const ALONE: ReadonlySet<string> = new Set(['--json', '--no-input', '--utc']);
const WITH_VALUE: ReadonlySet<string> = new Set(['--profile', '--url', '-o', '--output', '--fields', '--timeout']);
const OWN: ReadonlySet<string> = new Set(['-h', '--help', '--version']);

/**
 * A command line whose flags of all commands are behind its first two words.
 * @param hasVerbs whether the first word is a noun
 * @throws UsageError for another flag before the verb
 */
export function flagsLast(args: readonly string[], hasVerbs: (noun: string) => boolean): readonly string[] {
  const words: string[] = [];
  const moved: string[] = [];
  let at = 0;
  while (at < args.length && words.length < 2) {
    const arg = args[at]!;
    const [name = ''] = arg.split('=', 1);
    if (!arg.startsWith('-')) words.push(arg);
    else if (ALONE.has(arg) || (WITH_VALUE.has(name) && arg.includes('='))) moved.push(arg);
    else if (WITH_VALUE.has(arg)) moved.push(arg, ...args.slice(++at, at + 1));
    else break;
    at++;
  }
  const [noun] = words;
  const stopped = args[at];
  const isBefore = words.length === 0 || (words.length === 1 && hasVerbs(noun!));
  if (isBefore && stopped?.startsWith('-') && stopped !== '--' && !OWN.has(stopped)) {
    const [flag] = stopped.split('=', 1); // its value may be a secret
    throw new UsageError(`${flag} goes behind the verb: fleetgate ${noun ?? '<noun>'} <verb> ${flag}`);
  }
  return moved.length === 0 ? args : [...words, ...moved, ...args.slice(at)];
}
