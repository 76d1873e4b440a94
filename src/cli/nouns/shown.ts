import { isRow, type Row } from '../output/cells.js';
import { cutTo } from '../output/text.js';

/* What tables show of answers that have lists in lists: a table for each of them, in place of a cell with all. */

/** Before the command that stores the password of a device, where the device asks for a new one. */
export const SET_PASSWORD_FIRST = 'Set a new password on the device itself, then store it:';

const rowsOf = (value: unknown): readonly Row[] => (Array.isArray(value) ? value.filter(isRow) : []);

/** `device summary`: a line for each value of a field. */
export function summaryTables({ groups, ...answer }: Row): Row {
  const counts = rowsOf(groups).flatMap(({ by, values, others }) => [
    ...rowsOf(values).map(({ value, devices }) => ({ by, value: value ?? '(none)', devices })),
    ...(others === 0 ? [] : [{ by, value: `and ${String(others)} more values`, devices: null }]),
  ]);
  return { ...answer, counts };
}

/** `system show`: of checks and periodic tasks those that are not well. */
export function systemTables({ processes, ...answer }: Row): Row {
  return {
    ...answer,
    processes: rowsOf(processes).map(({ id, checks, sweepers, ...process }) => ({
      ...process,
      checks: namesOr('ok', Object.entries(isRow(checks) ? checks : {})),
      tasks: namesOr(
        'done',
        rowsOf(sweepers).map(({ name, outcome }) => [String(name), outcome]),
      ),
      id,
    })),
  };
}

/** The names of those in another state, or how many there are. */
function namesOr(well: string, states: readonly (readonly [name: string, state: unknown])[]): string {
  const bad = states.filter(([, state]) => state !== well).map(([name]) => name);
  return bad.length === 0 ? `all ${states.length} ${well}` : `not ${well}: ${bad.join(', ')}`;
}

/** `backup diff`: the files, then the lines that differ. */
export function diffTables({ files, ...answer }: Row): Row {
  const all = rowsOf(files);
  const count = (lines: unknown, sign: string) => rowsOf(lines).filter(({ is }) => is === sign).length;
  return {
    ...answer,
    files: all.map(({ name, change, lines }) => ({
      name,
      change,
      added: lines === null ? 'not shown' : count(lines, '+'),
      removed: lines === null ? 'not shown' : count(lines, '-'),
    })),
    lines: all.flatMap(({ name, lines }) =>
      rowsOf(lines).map(({ is, text }, at) => ({ file: at === 0 ? name : '', is, text })),
    ),
  };
}

/** `backup contents`: the files, then their lines. */
export function contentsTables({ files, ...answer }: Row): Row {
  const all = rowsOf(files);
  return {
    ...answer,
    files: all.map(({ name, bytes, lines }) => ({
      name,
      bytes,
      lines: Array.isArray(lines) ? lines.length : 'not shown',
    })),
    lines: all.flatMap(({ name, lines }) =>
      (Array.isArray(lines) ? lines : []).map((text: unknown, at) => ({ file: at === 0 ? name : '', text })),
    ),
  };
}

/** Roles as people say them: `operator on site:kaunas, viewer`. */
export const rolesInWords = (row: Row): Row => ({ ...row, roles: rowsOf(row['roles']).map(roleText).join(', ') });

const roleText = ({ role, selector }: Row): string =>
  typeof selector === 'string' ? `${String(role)} on ${selector}` : String(role);

/** A rollout: its waves by their names, counted from 1; those of its policy without a name get theirs. */
export function wavesByNumber(rollout: Row): Row {
  const { waves, policy } = rollout as { readonly waves?: unknown; readonly policy?: Row };
  return {
    ...rollout,
    ...(policy ? { policy: { ...policy, waves: rowsOf(policy['waves']).map(namedWave) } } : {}),
    ...(Array.isArray(waves) ? { waves: rowsOf(waves).map(waveRow) } : {}),
  };
}

const namedWave = ({ name, ...wave }: Row, at: number): Row => ({ name: name ?? `wave ${at + 1}`, ...wave });

const waveRow = ({ ordinal, ...wave }: Row): Row => ({ wave: Number(ordinal) + 1, ...wave });

/** `device explain`: paths of rules in words. */
export const explainTables = ({ because, rules, ...answer }: Row): Row => ({
  ...answer,
  because: typeof because === 'string' ? because.replaceAll('`', '') : because,
  rules: rowsOf(rules).map(({ selectors, paths, ...rule }) => ({
    ...rule,
    devices: Array.isArray(selectors) && selectors.length > 0 ? selectors.join(' and ') : 'all',
    paths: paths === null || paths === undefined ? 'all' : paths,
  })),
});

/** Of why a device is as it is, in a column of a list; `device show` has all of it. */
const REASON_MAX = 60;

/** A device of a list: its state with the reason, where it has one. */
export const stateWithReason = ({ state, stateReason, ...device }: Row): Row =>
  typeof stateReason === 'string'
    ? { ...device, state: `${String(state)}: ${cutTo(stateReason, REASON_MAX)}` }
    : { ...device, state };

/** A device of a fan-out: the code of its reason, with words where there are some. */
export const reasonInWords = ({ reason, why, ...row }: Row): Row =>
  typeof why === 'string' ? { ...row, reason: `${String(reason)}: ${why}` } : { ...row, reason };
