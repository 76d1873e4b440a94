/*
 * `npm run docs`: writes what is made from the code: the OpenAPI document and the tables of docs/reference, and then the
 * generated code. With `--check` it writes no document, names those that are out of date, and ends with 1 if there are any.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generate, isGenerated } from './generate.mjs';
import { compileTests } from './run-tests.mjs';

const isCheck = process.argv.includes('--check');
const at = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const compiled = (name) => import(new URL(`../dist.test/${name}.js`, import.meta.url).href);
const stale = new Set();

// The document does not depend on the generated code, so that of an older document will do, and one of a conflict is replaced.
if (!isGenerated()) await generate();
if (process.env.TESTS_COMPILED !== 'true') compileTests();
const { documentText, routesOnly } = await compiled('test/support/api-document');
const { buildDocument } = await compiled('src/openapi/openapi');
update('docs/reference/openapi.json', documentText(buildDocument(await routesOnly())));
// The table of commands does: it has the texts of the document.
if (await generate()) compileTests();
const { REFERENCE_TABLES, withTable } = await compiled('test/support/source/reference-tables');
for (const table of REFERENCE_TABLES) update(table.page, await withTable(readFileSync(at(table.page), 'utf8'), table));

if (stale.size > 0) {
  console.error(`Out of date; \`npm run docs\` writes them:\n${[...stale].map((file) => `  ${file}`).join('\n')}`);
  process.exitCode = 1;
}

function update(file, text) {
  if (readFileSync(at(file), 'utf8') === text) return;
  if (isCheck) stale.add(file);
  else writeFileSync(at(file), text);
}
