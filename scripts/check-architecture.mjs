/*
 * The rules of ARCHITECTURE.md for folders, imports and names, on the sources as they are. One line for each problem; ends
 * with 1 where there is one. The rules are compiled with the tests, and `test/architecture.spec.ts` shows that each can fail.
 */
import { findProblems, largeFolders } from '../dist.test/test/support/source/architecture-rules.js';
import { listFiles, readGraph, readTree } from '../dist.test/test/support/source/import-graph.js';

const tree = new Map([...readTree('src'), ...readTree('migrations')]);
// An import of a file that is not there would escape the rules.
const missing = [...readGraph(tree).values()].flatMap(({ file, imports }) =>
  imports
    .filter((imported) => !tree.has(imported))
    .map((imported) => `${file} imports ${imported}, which is not there`),
);
const problems = [
  ...findProblems(new Map([...tree].filter(([file]) => file.startsWith('src/')))),
  ...['test', 'console/src'].flatMap((folder) => largeFolders(listFiles(folder))),
  ...missing,
];
for (const problem of problems) console.log(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
