import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DocumentPart, partsOf, searchContent } from './document-search.js';
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

/** Has the titles of all others. */
const INDEX = 'README.md';

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
  const all = allDocuments(prefix);
  return [...all.known].filter((name) => name !== OPENAPI).map((name) => fileOf(name, all));
}

/** The page that answers questions. @param prefix of the gateway's own addresses @returns makes it for a question */
export function documentSearch(prefix: string): (question: string) => string {
  const all = allDocuments(prefix);
  const name = 'search.md'; // for links: it stands beside the other documents
  let parts: readonly DocumentPart[] | null = null;
  return (question) => {
    parts ??= inOrder(all).flatMap((one) =>
      partsOf(readFile(one).toString(), titleAt(one, all), addressOf(one, name, prefix, all.known)!),
    );
    const html = searchContent(parts, question);
    return htmlPage({ prefix, title: 'Search', html, current: null, side: sideOf(name, all), question });
  };
}

/** The list of all pages, for a page that is none of them. @param prefix of the gateway's own addresses */
export const documentSide = (prefix: string): readonly SideGroup[] => sideOf(INDEX, allDocuments(prefix));

function allDocuments(prefix: string): AllDocuments {
  const names = existsSync(FOLDER) ? readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }) : [];
  const files = names.map((name) => name.split(path.sep).join('/'));
  const known = new Set(files.filter((name) => name.endsWith('.md') || typeOf(name) !== undefined));
  return { prefix, known, titles: new Map() };
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

/** All documents, those that people need first before the others. */
function inOrder({ known }: AllDocuments): readonly string[] {
  const placeOf = (name: string) => {
    const at = GROUPS.findIndex(([folder]) => path.posix.dirname(name) === folder);
    return at < 0 ? GROUPS.length : at;
  };
  return [...known]
    .filter((name) => name.endsWith('.md') && name !== INDEX)
    .toSorted((one, other) => placeOf(one) - placeOf(other));
}

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
