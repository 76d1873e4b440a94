/*
 * The results of a run: a row for each target of docs/explanation/performance.md, printed as a table for a document and
 * stored as JSON. A target that is missed is a finding, not a failure of the run; a figure that could not be taken is
 * one.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** What a figure must be. */
export type Bound = { readonly atMost: number } | { readonly atLeast: number };

export interface Finding {
  /** The target, such as P1. */
  readonly id: string;
  readonly what: string;
  readonly value: number;
  /** The same of the rounds that were least disturbed (`undisturbedRatio`). */
  readonly undisturbed?: number;
  /** `×` for a ratio. */
  readonly unit: string;
  readonly against: string;
  /** Absent: a figure to know, without a target. */
  readonly bound?: Bound;
  /** The figures behind it. */
  readonly detail: string;
}

type Verdict = 'met' | 'falls short' | 'no target' | 'skipped' | 'FAILED';

interface Row {
  readonly id: string;
  readonly what: string;
  readonly value: string;
  readonly target: string;
  readonly verdict: Verdict;
  readonly detail: string;
}

export class Report {
  private readonly rows: (Row & { readonly finding?: Finding })[] = [];

  constructor(private readonly form: string) {}

  add(finding: Finding): void {
    const { id, what, value, undisturbed, unit, against, bound } = finding;
    const detail =
      undisturbed === undefined ? finding.detail : `${finding.detail}; undisturbed ${significant(undisturbed)} ×`;
    // Memory and processor time are read from /proc.
    if (Number.isNaN(value) && process.platform !== 'linux') return this.skip(id, what, 'only Linux tells it');
    if (!Number.isFinite(value)) return this.fail(id, what, `the figure is ${value}`);
    const shown = unit === '×' ? `${significant(value)} × ${against}` : `${significant(value)} ${unit}`;
    const row = { id, what, value: shown, target: targetOf(bound, unit), verdict: verdictOf(bound, value), detail };
    this.push({ ...row, finding });
  }

  /** A baseline that is not on this machine: said, and no failure. */
  skip(id: string, what: string, reason: string): void {
    this.push({ id, what, value: '–', target: '', verdict: 'skipped', detail: reason });
  }

  /** A measurement that could not be made. */
  fail(id: string, what: string, reason: string): void {
    this.push({ id, what, value: '–', target: '', verdict: 'FAILED', detail: reason });
  }

  get failed(): boolean {
    return this.rows.some(({ verdict }) => verdict === 'FAILED');
  }

  /** The complete table, with where and when it was measured. */
  table(): string {
    const header = ['', 'what', 'measured', 'target', '', 'figures'];
    const number = ({ id }: Row) => Number(/\d+/.exec(id)?.[0] ?? 0);
    const ordered = this.rows.toSorted((one, other) => number(one) - number(other));
    const cells = ordered.map((row) => [row.id, row.what, row.value, row.target, row.verdict, row.detail]);
    const widths = header.map((title, column) => Math.max(3, title.length, ...cells.map((row) => row[column]!.length)));
    const line = (row: readonly string[]) => `| ${row.map((cell, i) => cell.padEnd(widths[i]!)).join(' | ')} |`;
    const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
    return [...this.circumstances(), '', line(header), rule, ...cells.map(line)].join('\n');
  }

  /** Writes the run as JSON into a folder; returns the file. */
  async save(folder: string): Promise<string> {
    await mkdir(folder, { recursive: true });
    const at = new Date().toISOString();
    const file = path.join(folder, `bench-${at.replaceAll(/[:.]/g, '-')}.json`);
    const machine = { cores: os.cpus().length, model: os.cpus()[0]?.model, memoryMB: Math.round(os.totalmem() / 1e6) };
    const run = { at, form: this.form, node: process.version, machine, load: os.loadavg(), rows: this.rows };
    await writeFile(file, `${JSON.stringify(run, null, 2)}\n`);
    return file;
  }

  private push(row: Row & { finding?: Finding }): void {
    this.rows.push(row);
    process.stderr.write(`${row.id.padEnd(4)}${row.what}: ${row.value}, ${row.verdict}; ${row.detail}\n`);
  }

  private circumstances(): string[] {
    const model = os.cpus()[0]?.model.trim() ?? 'processor unknown';
    return [
      `${new Date().toISOString().slice(0, 10)}, ${this.form}; ${os.cpus().length} cores (${model}), ` +
        `${Math.round(os.totalmem() / 2 ** 30)} GB, ${os.type()}; Node ${process.version}; ` +
        `load average ${os.loadavg()[0]!.toFixed(1)} at the end.`,
    ];
  }
}

function verdictOf(bound: Bound | undefined, value: number): Verdict {
  if (!bound) return 'no target';
  const met = 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
  return met ? 'met' : 'falls short';
}

function targetOf(bound: Bound | undefined, unit: string): string {
  if (!bound) return '';
  return 'atMost' in bound ? `at most ${bound.atMost} ${unit}` : `at least ${bound.atLeast} ${unit}`;
}

/** Three digits that mean something, with separators for thousands. */
export function significant(value: number): string {
  return value.toLocaleString('en-GB', { maximumSignificantDigits: 3 });
}
