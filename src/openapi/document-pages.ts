import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { htmlPage, type SideGroup } from './html-page.js';
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
  const all: AllDocuments = { prefix, known, titles: new Map() };
  return [...known].filter((name) => name !== OPENAPI).map((name) => fileOf(name, all));
}

interface AllDocuments {
  readonly prefix: string;
  readonly known: ReadonlySet<string>;
  /** Of the documents that were read, by their names. */
  readonly titles: Map<string, string>;
}

const readFile = (name: string): Buffer => readFileSync(path.join(FOLDER, name));

function titleAt(name: string, { titles }: AllDocuments): string {
  const title = titles.get(name) ?? titleOf(readFile(name).toString());
  titles.set(name, title);
  return title;
}

function fileOf(name: string, all: AllDocuments): DocumentFile {
  const { prefix, known } = all;
  const read = () => readFile(name);
  const type = typeOf(name);
  if (type !== undefined) return { name, type, read };
  return {
    name: name.slice(0, -'.md'.length),
    type: null,
    read: () => {
      const markdown = read().toString();
      const fileAt = (target: string) => path.posix.join(path.posix.dirname(name), target.split('#')[0]!);
      const html = toHtml(
        markdown,
        (target) => addressOf(target, name, prefix, known),
        (target) => (known.has(fileAt(target)) ? titleAt(fileAt(target), all) : null),
      );
      return htmlPage({ prefix, title: titleOf(markdown), html, current: 'documents', side: sideOf(name, all) });
    },
  };
}

/** The folders of documents in the order in which people need them. */
const GROUPS = [
  ['tutorials', 'Tutorials'],
  ['howto', 'How-to'],
  ['reference', 'Reference'],
  ['explanation', 'Explanation'],
  ['adr', 'Decisions'],
] as const;

/** All documents by their titles. @param current the one that is shown */
function sideOf(current: string, all: AllDocuments): readonly SideGroup[] {
  const pages = [...all.known].filter((name) => name.endsWith('.md')).toSorted();
  return GROUPS.map(([folder, title]) => ({
    title,
    links: pages
      .filter((name) => path.posix.dirname(name) === folder)
      .map((name) => ({
        address: addressOf(path.posix.relative(path.posix.dirname(current), name), current, all.prefix, all.known)!,
        text: titleAt(name, all),
        isCurrent: name === current,
      })),
  }));
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
