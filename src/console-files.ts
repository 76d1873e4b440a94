import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PreparedAnswer } from './openapi/prepared-answer.js';

/*
 * The files of the console, as the build left them: some 60, together 2.4 MB with their compressed forms. Each is read when it is
 * first asked for, and kept. So callers who do not read hold no file and no place, only their connection.
 */

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** @returns the files below a folder by their path, such as `assets/index.js`; compressed forms are answers of the same file */
export function consoleFiles(folder: string): ReadonlyMap<string, PreparedAnswer> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const names = new Set(paths.map((name) => name.replaceAll(path.sep, '/')));
  const read = (name: string) => () => readFile(path.join(folder, name));
  return new Map(
    [...names].flatMap((name) => {
      const type = TYPES[path.extname(name)];
      if (type === undefined) return [];
      const compressed = {
        ...(names.has(`${name}.br`) ? { br: read(`${name}.br`) } : {}),
        ...(names.has(`${name}.gz`) ? { gzip: read(`${name}.gz`) } : {}),
      };
      return [[name, new PreparedAnswer(type, read(name), compressed)] as const];
    }),
  );
}
