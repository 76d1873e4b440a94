import { type z } from 'zod';
import { deviceJson } from '../device-api/device-json.js';
import { type BackupFile } from './backup-archive.js';
import { type contentsView, type diffView } from './backups.contract.js';

/*
 * The contents of a backup and the differences of two, without their secrets. Pure. Settings are shown line by line, each option checked by
 * its name as in an answer of the device. For any other file (keys, databases of accounts, binaries) only the difference
 * itself is shown. A changed secret has another fingerprint.
 */

/** Hides the secrets of a value; `path` is where on the device it would be read. */
export type SecretHider = <Value>(value: Value, path: string) => Value;

export type BackupDifference = Pick<z.input<typeof diffView>, 'same' | 'files' | 'cut'>;
type FileDifference = BackupDifference['files'][number];

export type BackupContents = Pick<z.input<typeof contentsView>, 'files' | 'cut'>;

const MAX_FILES = 500;
const MAX_LINES = 5_000;

/**
 * Limits of one comparison, since it blocks the event loop: text that is searched, and pairs of lines that are compared.
 * Files beyond them are only named. Real settings have a few hundred kilobytes.
 */
const MAX_SHOWN_BYTES = 1024 * 1024;
const MAX_COMPARED = 4_000_000;

/** What is left of both limits. */
interface Budget {
  bytes: number;
  compared: number;
}

const SETTINGS = /^(?:\.\/)?\/?etc\/config\/(?<service>[\w./-]+)$/;

/** How a line of a settings file begins: `option name 'value'` or `list name 'value'`. Its value is the rest. */
const OPTION = /^(?<start>\s*(?:option|list)\s+)(?<name>['"]?[\w.-]+['"]?)(?<gap>\s+)(?=\S)/;

export function backupDifference(
  a: readonly BackupFile[],
  b: readonly BackupFile[],
  hide: SecretHider,
): BackupDifference {
  const [before, after] = [byName(a), byName(b)];
  const names = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  const differing = names.filter((name) => !isSame(before.get(name), after.get(name)));
  const budget = { bytes: MAX_SHOWN_BYTES, compared: MAX_COMPARED };
  let left = MAX_LINES;
  let cut = differing.length > MAX_FILES;
  const files = differing.slice(0, MAX_FILES).map((name): FileDifference => {
    const [old, young] = [before.get(name), after.get(name)];
    const change = old === undefined ? 'added' : young === undefined ? 'removed' : 'changed';
    const lines = difference(shown(name, old, hide, budget), shown(name, young, hide, budget), budget);
    const kept = lines?.slice(0, left) ?? null;
    if (lines && kept!.length < lines.length) cut = true;
    left -= kept?.length ?? 0;
    return { name, change, lines: kept };
  });
  return { same: differing.length === 0, files, cut };
}

/** All files of a backup, and the lines of its settings. */
export function backupContents(files: readonly BackupFile[], hide: SecretHider): BackupContents {
  const budget = { bytes: MAX_SHOWN_BYTES, compared: 0 };
  let left = MAX_LINES;
  let cut = files.length > MAX_FILES;
  const view = files.slice(0, MAX_FILES).map(({ name, content }) => {
    const lines = shown(name, content, hide, budget);
    const kept = lines?.slice(0, left) ?? null;
    if (lines && kept!.length < lines.length) cut = true;
    left -= kept?.length ?? 0;
    return { name, bytes: content.length, lines: kept };
  });
  return { files: view, cut };
}

/** The lines of a file without its secrets; null for one that is not shown. */
function shown(name: string, content: Buffer | undefined, hide: SecretHider, budget: Budget): string[] | null {
  const service = SETTINGS.exec(name)?.groups?.['service'];
  if (service === undefined) return null;
  if (content === undefined) return [];
  if (content.length > budget.bytes) return null;
  budget.bytes -= content.length;
  const text = content.toString('utf8');
  if (text.includes('\0') || text.includes('\uFFFD')) return null;
  const path = `/api/${service.replace(/^\/+/, '')}`;
  const parsed = jsonOf(content);
  if (parsed !== undefined) return JSON.stringify(hide(parsed, path), null, 2).split('\n');
  return text.split('\n').map((line) => hidden(line, path, hide));
}

function hidden(line: string, path: string, hide: SecretHider): string {
  const found = OPTION.exec(line);
  if (!found) return hide(line, path);
  const { start, name, gap } = found.groups as { start: string; name: string; gap: string };
  const bare = unquoted(line.slice(found[0].length).trim());
  const shownValue = hide({ [unquoted(name)]: bare }, path);
  const [[shownName, safe]] = Object.entries(shownValue) as [[string, unknown]];
  return safe === bare ? hide(line, path) : `${start}${shownName}${gap}'${String(safe)}'`;
}

const unquoted = (text: string) => text.replace(/^(['"])(.*)\1$/s, '$2');

function jsonOf(content: Buffer): object | undefined {
  const value = deviceJson(content);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** The lines that only one side has, by the longest common subsequence; null if it would take too long. */
function difference(a: readonly string[] | null, b: readonly string[] | null, budget: Budget): FileDifference['lines'] {
  if (a === null || b === null) return null;
  let from = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from++;
  let [endA, endB] = [a.length, b.length];
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const [x, y] = [a.slice(from, endA), b.slice(from, endB)];
  if (x.length * y.length > budget.compared) return null;
  budget.compared -= x.length * y.length;
  const width = y.length + 1;
  // lengths[i * width + j]: how much x from i on and y from j on have in common.
  const lengths = new Uint32Array((x.length + 1) * width);
  for (let i = x.length - 1; i >= 0; i--) {
    for (let j = y.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        x[i] === y[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!);
    }
  }
  const lines: { is: '+' | '-'; text: string }[] = [];
  let [i, j] = [0, 0];
  while (i < x.length || j < y.length) {
    if (i < x.length && j < y.length && x[i] === y[j]) [i, j] = [i + 1, j + 1];
    else if (j >= y.length || (i < x.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) {
      lines.push({ is: '-', text: x[i++]! });
    } else lines.push({ is: '+', text: y[j++]! });
  }
  return lines;
}

const byName = (files: readonly BackupFile[]) => new Map(files.map(({ name, content }) => [name, content]));

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a !== undefined && b !== undefined && a.equals(b);
}
