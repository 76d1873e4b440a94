import { appendFileSync } from 'node:fs';

/** Notes what a test has counted, for a bench that runs it (`npm run bench:templates`): a line in the file that it names. */
export function noteFigures(row: string, figures: Readonly<Record<string, unknown>>): void {
  const file = process.env['FIGURES_FILE'];
  if (file) appendFileSync(file, `${JSON.stringify({ row, ...figures })}\n`);
}
