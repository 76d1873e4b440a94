import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { htmlPage } from './html-page.js';
import { titleOf, toHtml } from './markdown.js';

/*
 * The documents of the project as pages below /docs: `docs/reference/jobs.md` is `/docs/reference/jobs`. What they refer to besides,
 * such as rules for Prometheus, is served as it is. A link to a file outside `docs/` is text: the gateway has only these.
 */

const FOLDER = fileURLToPath(new URL('../../../docs', import.meta.url));

/** Files that are served as they are, by the end of their names. */
const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.yml': 'text/plain; charset=utf-8',
  '.sh': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
};

/** Has an address of its own. */
const OPENAPI = 'reference/openapi.json';

export interface DocumentFile {
  /** Below /docs, such as `reference/jobs`. */
  readonly name: string;
  /** Null: it is a page. */
  readonly type: string | null;
  /** Made for its first reader. */
  readonly read: () => string | Buffer;
}

/** All files that are served. @param prefix of the gateway's own addresses */
export function documentFiles(prefix: string): DocumentFile[] {
  if (!existsSync(FOLDER)) return [];
  const names = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).map((name) =>
    name.split(path.sep).join('/'),
  );
  const known = new Set(names.filter((name) => name.endsWith('.md') || typeOf(name) !== undefined));
  return [...known].filter((name) => name !== OPENAPI).map((name) => fileOf(name, prefix, known));
}

function fileOf(name: string, prefix: string, known: ReadonlySet<string>): DocumentFile {
  const read = () => readFileSync(path.join(FOLDER, name));
  const type = typeOf(name);
  if (type !== undefined) return { name, type, read };
  return {
    name: name.slice(0, -'.md'.length),
    type: null,
    read: () => {
      const markdown = read().toString();
      const html = toHtml(markdown, (target) => addressOf(target, name, prefix, known));
      return htmlPage({ prefix, title: titleOf(markdown), html, current: 'documents' });
    },
  };
}

const typeOf = (name: string): string | undefined => TYPES[path.extname(name)];

/** Where a link of a document leads. @param from the document, in `docs/` */
function addressOf(target: string, from: string, prefix: string, known: ReadonlySet<string>): string | null {
  if (/^https?:\/\//.test(target) || target.startsWith('#')) return target;
  const [file = '', anchor] = target.split('#');
  const name = path.posix.join(path.posix.dirname(from), file);
  const hash = anchor === undefined ? '' : `#${anchor}`;
  if (name === OPENAPI) return `${prefix}/openapi.json`;
  if (name === 'reference/errors.md') return `${prefix}/docs/errors${hash}`;
  if (!known.has(name)) return null;
  return `${prefix}/docs/${name.replace(/\.md$/, '')}${hash}`;
}
