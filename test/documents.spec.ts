import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

const FOLDERS = ['bench', 'docs', 'faults', 'fuzz', 'migrations', 'scripts', 'src', 'test'];
/** The four kinds of pages that docs/README.md sorts, and the decisions. */
const KINDS = ['adr', 'explanation', 'howto', 'reference', 'tutorials'];

const read = (file: string) => readFileSync(file, 'utf8');
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.posix.join(folder, file));
const all = [...readdirSync('.').filter((file) => file.endsWith('.md')), ...FOLDERS.flatMap(filesBelow)];
const pages = all.filter((file) => file.endsWith('.md'));

/** The text without its examples, in which nothing is a link or a heading. */
const prose = (file: string) => read(file).replaceAll(/^```.*?^```/gms, '');

/** The links of a page to other files and places, as [target, anchor]. */
function links(page: string): [string, string | undefined][] {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [target, anchor] = link.split('#');
      return [target ? path.posix.join(path.posix.dirname(page), target) : page, anchor];
    });
}

/** The anchors of a page, as GitHub makes them of its headings. */
const anchors = (page: string) =>
  [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

describe('the documents', () => {
  it.each(pages)('have no broken link: %s', (page) => {
    const broken = links(page).filter(
      ([target, anchor]) =>
        !existsSync(target) || (anchor !== undefined && !(target.endsWith('.md') && anchors(target).includes(anchor))),
    );
    expect(broken).toEqual([]);
  });

  it('are where code, tests and pages say that they are', () => {
    const mentions = all
      .filter((file) => /\.(md|ts|mjs|sh)$/.test(file))
      .flatMap((file) =>
        [...read(file).matchAll(/(?<![\w/.])docs\/[\w./-]+\.(?:md|sh)\b/g)].map(([mention]) => ({ file, mention })),
      );
    expect(mentions.length).toBeGreaterThan(50);
    expect(mentions.filter(({ mention }) => !existsSync(mention))).toEqual([]);
  });

  it('are all in a folder of their kind, and listed in docs/README.md', () => {
    const below = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(below.filter((page) => !KINDS.includes(page.split('/')[1]!))).toEqual([]);
    const listed = new Set(links('docs/README.md').map(([target]) => target));
    expect(below.filter((page) => !page.startsWith('docs/adr/') && !listed.has(page))).toEqual([]);
  });
});
