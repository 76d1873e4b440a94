/*
 * Two rules about documents: links lead somewhere, and each page is in a folder of its kind and listed (1); THREATS.md names
 * each requirement of the standard once, with a proof that exists (2). One line for each problem; ends with 1 where there is one.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const FOLDERS = ['bench', 'docs', 'faults', 'fuzz', 'migrations', 'scripts', 'src', 'test'];
/** The four kinds of pages that docs/README.md sorts, and the decisions. */
const KINDS = ['adr', 'explanation', 'howto', 'reference', 'tutorials'];

/** OWASP ASVS 5.0.0: the requirements of levels 1 and 2, by section and the numbers in it. */
const STANDARD =
  'V1.1:1-2 V1.2:1-9 V1.3:1-11 V1.4:1-3 V1.5:1-2 V2.1:1-3 V2.2:1-3 V2.3:1-4 V2.4:1-1 V3.2:1-2 V3.3:1-4 V3.4:1-6 ' +
  'V3.5:1-5 V3.7:1-2 V4.1:1-3 V4.2:1-1 V4.3:1-2 V4.4:1-4 V5.1:1-1 V5.2:1-3 V5.3:1-2 V5.4:1-3 V6.1:1-3 V6.2:1-12 ' +
  'V6.3:1-4 V6.4:1-4 V6.5:1-5 V6.6:1-3 V6.8:1-4 V7.1:1-3 V7.2:1-4 V7.3:1-2 V7.4:1-5 V7.5:1-2 V7.6:1-2 V8.1:1-2 ' +
  'V8.2:1-3 V8.3:1-1 V8.4:1-1 V9.1:1-3 V9.2:1-4 V10.1:1-2 V10.2:1-2 V10.3:1-4 V10.4:1-11 V10.5:1-5 V10.6:1-2 ' +
  'V10.7:1-3 V11.1:1-2 V11.2:1-3 V11.3:1-3 V11.4:1-4 V11.5:1-1 V11.6:1-1 V12.1:1-3 V12.2:1-2 V12.3:1-4 V13.1:1-1 ' +
  'V13.2:1-5 V13.3:1-2 V13.4:1-5 V14.1:1-2 V14.2:1-4 V14.3:1-3 V15.1:1-3 V15.2:1-3 V15.3:1-7 V16.1:1-1 V16.2:1-5 ' +
  'V16.3:1-4 V16.4:1-3 V16.5:1-3 V17.1:1-1 V17.2:1-4 V17.3:1-2';

const read = (file) => readFileSync(file, 'utf8');
const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.posix.join(folder, file));
const all = [...readdirSync('.').filter((file) => file.endsWith('.md')), ...FOLDERS.flatMap(filesBelow)];
const pages = all.filter((file) => file.endsWith('.md'));

const problems = [
  ...pages.flatMap(brokenLinks),
  ...all.filter((file) => /\.(md|ts|mjs|sh)$/.test(file)).flatMap(lostMentions),
  ...pagesOutOfPlace(),
  ...requirementsNotOnce(),
  ...proofsThatAreMissing(),
];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;

/** The text without its examples, in which nothing is a link or a heading. */
function prose(page) {
  return read(page).replaceAll(/^```.*?^```/gms, '');
}

/** The links of a page to other files and places, as [target, anchor]. */
function links(page) {
  return [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link]) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [target, anchor] = link.split('#');
      return [target ? path.posix.join(path.posix.dirname(page), target) : page, anchor];
    });
}

/** The anchors of a page, as GitHub makes them of its headings. */
function anchors(page) {
  return [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page) {
  return links(page)
    .filter(
      ([target, anchor]) =>
        !existsSync(target) || (anchor !== undefined && !(target.endsWith('.md') && anchors(target).includes(anchor))),
    )
    .map(([target, anchor]) => `${page} links to ${[target, anchor].filter(Boolean).join('#')}, which is not there`);
}

/** Pages that code, tests or other pages name outside of links. */
function lostMentions(file) {
  return [...read(file).matchAll(/(?<![\w/.])docs\/[\w./-]+\.(?:md|sh)\b/g)]
    .filter(([mention]) => !existsSync(mention))
    .map(([mention]) => `${file} names ${mention}, which is not there`);
}

function pagesOutOfPlace() {
  const below = pages.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
  const listed = new Set(links('docs/README.md').map(([target]) => target));
  return [
    ...below.filter((page) => !KINDS.includes(page.split('/')[1])).map((page) => `${page} is in no folder of a kind`),
    ...below
      .filter((page) => !page.startsWith('docs/adr/') && !listed.has(page))
      .map((page) => `${page} is not listed in docs/README.md`),
  ];
}

/** The cells of the rows of THREATS.md that speak of requirements; the first is empty. */
function threats(text) {
  const rows = text.split('\n').filter((line) => /^\| V\d/.test(line));
  return rows.map((row) => row.split('|').map((cell) => cell.trim()));
}

function requirementsNotOnce() {
  const required = STANDARD.split(' ').flatMap((part) => {
    const [section, range] = part.split(':');
    const [first, last] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => `${section}.${first + index}`);
  });
  const named = threats(read('THREATS.md')).flatMap(([, numbers]) => numbers.split(', '));
  return [...new Set([...required, ...named])]
    .map((number) => [number, named.filter((one) => one === number).length, required.includes(number)])
    .filter(([, count, isRequired]) => count !== 1 || !isRequired)
    .map(([number, count, isRequired]) =>
      isRequired ? `THREATS.md names ${number} ${count} times` : `THREATS.md names ${number}, which is no requirement`,
    );
}

function proofsThatAreMissing() {
  const text = read('THREATS.md');
  const proven = threats(text.slice(text.indexOf('### Proven'), text.indexOf('### Not applicable')));
  if (proven.length === 0) return ['THREATS.md has no rows between "Proven" and "Not applicable"'];
  return proven
    .filter(([, , , proof]) => !/^test\/[\w/.-]+\.spec\.ts$/.test(proof) || !existsSync(proof))
    .map(([, numbers, , proof]) => `THREATS.md proves ${numbers} by ${proof}, which is not there`);
}
