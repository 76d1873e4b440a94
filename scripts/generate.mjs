/*
 * `npm run generate`: writes the code that is made from docs/reference/openapi.json and is not in git. Everything that compiles
 * or checks sources calls it first. Where nothing has changed it reads the files and compares digests, which takes 20 ms.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DOCUMENT = 'docs/reference/openapi.json';
/** Generated files, and the module and function that make the text of each from the document. */
const GENERATED = {
  'src/api-client/openapi.ts': ['client-types.mjs', 'clientTypes'],
  'src/cli/operations/operations.ts': ['cli-operations.mjs', 'cliOperations'],
};
/** What the generated files depend on, besides the document. */
const MAKERS = [
  'node_modules/openapi-typescript/package.json',
  'scripts/document/inlined.mjs',
  ...Object.values(GENERATED).map(([module]) => `scripts/document/${module}`),
];
/** The digest of all of these as the last run left them. */
const STAMP = 'node_modules/.cache/generated';

const at = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

if (process.argv[1] === fileURLToPath(import.meta.url)) await generate();

/**
 * Writes the generated files that are not those of the document. Files that are stay untouched, and so do incremental builds.
 * @returns {Promise<boolean>} whether it wrote one
 * @throws Error when the document cannot be read, such as in the middle of a merge
 */
export async function generate() {
  if (readIfThere(STAMP) === stamp()) return false;
  const document = readDocument();
  let isChanged = false;
  for (const [file, [module, maker]] of Object.entries(GENERATED)) {
    const { [maker]: make } = await import(`./document/${module}`);
    isChanged = write(file, await make(document)) || isChanged;
  }
  write(STAMP, stamp());
  return isChanged;
}

/** @returns {boolean} whether the generated files are there, of whatever document */
export const isGenerated = () => Object.keys(GENERATED).every((file) => existsSync(at(file)));

function stamp() {
  const hash = createHash('sha256');
  for (const file of [DOCUMENT, ...MAKERS, ...Object.keys(GENERATED)]) hash.update(`${readIfThere(file)}\0`);
  return hash.digest('hex');
}

function readDocument() {
  try {
    return JSON.parse(readFileSync(at(DOCUMENT), 'utf8'));
  } catch (cause) {
    const advice = 'Restore it, or after a conflict take one side of it; then run `npm run docs`.';
    throw new Error(`${DOCUMENT} cannot be read: ${cause.message}. ${advice}`, { cause });
  }
}

/** Beside, and then in its place: another command may read the file now. @returns whether the content is a new one */
function write(file, text) {
  if (readIfThere(file) === text) return false;
  mkdirSync(path.dirname(at(file)), { recursive: true });
  const draft = `${at(file)}.${process.pid}`;
  writeFileSync(draft, text);
  renameSync(draft, at(file));
  return true;
}

export function readIfThere(file) {
  return existsSync(at(file)) ? readFileSync(at(file), 'utf8') : null;
}
