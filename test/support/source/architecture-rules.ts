import { findCircles, readGraph, type SourceFile, type Tree } from './import-graph.js';

/*
 * The rules of the house, as functions from a tree of sources to sentences that say what is wrong. They know nothing
 * of the disk, so that the test can show each of them a made-up tree that breaks it. ARCHITECTURE.md says why.
 */

/** A folder imports itself and the folders to its left; the files directly in src/ are the application. */
const ORDER = [
  'device-api',
  'merkle-log',
  'embedded-postgres',
  'platform',
  'processes',
  'database',
  'secrets',
  'http',
  'audit',
  'selectors',
  'auth',
  'recurring',
  'devices',
  'proxy',
  'fan-outs',
  'discovery',
  'artifacts',
  'jobs',
  'monitoring',
  'backups',
  'certificates',
  'rollouts',
  'templates',
  'events',
  'system',
  'installation',
  'openapi',
  'app',
];

/**
 * The same order inside a module: a part imports itself and the parts to its left. `.` stands for the files of the module
 * itself; its module joins all parts, so it stands at the right.
 */
const PARTS: Record<string, readonly string[]> = {
  platform: ['errors', 'output', 'addresses', '.', 'limits'],
  audit: ['entries', 'log', '.'],
  auth: ['rights', 'access', 'limits', 'people', 'keys', '.'],
  devices: ['registry', '.', 'fleet-files'],
  proxy: ['connections', 'admission', 'sessions', 'calls', 'passthrough', '.'],
  jobs: ['rows', 'sealed-values', 'password-rotation', 'kind-api', 'kinds', 'engine', '.'],
  rollouts: ['state', 'engine', 'reports', 'schedules', '.'],
  templates: ['observed', 'watches', 'desired', 'saved', 'adopted', 'states', '.'],
  simulator: ['device', 'http', 'services', '.'],
};

/** More files than this side by side, and a newcomer no longer sees what belongs together. */
const MAX_FILES = 20;

/** Folders beside that order, with all that each may import of ours. */
const SIDE_BRANCHES: Record<string, readonly string[]> = {
  simulator: ['src/device-api/contract.ts'],
  'api-client': [],
  cli: ['src/api-client/', 'src/merkle-log/', 'src/main.ts', 'src/simulator/main.ts'],
  console: ['src/api-client/'],
};

/** The demonstration is an operator and a fleet in one: it starts both the gateway and the simulator. */
const DEMO = 'src/demo/';
const DEMO_MAY_ALSO = ['simulator', 'api-client'];

/** Who may import a package that stands for a whole concern. */
const PACKAGE_HOMES: Record<string, readonly string[]> = {
  bullmq: ['src/jobs/engine/job-queue.ts', 'src/database/database.ts'],
  undici: ['src/proxy/', 'src/device-api/http.ts', 'src/device-api/exchange.ts', 'src/platform/external-http.ts'],
};

/** Files of pure rules: what they decide depends on their arguments alone. */
const PURE = [
  /-state\.ts$/,
  /\/selector\.ts$/,
  /\/permissions\.ts$/,
  /^src\/device-api\/(bulk|session)\.ts$/,
  /^src\/merkle-log\/.*\.ts$/,
  /^src\/jobs\/kinds?\/.*\.ts$/,
];

/** Frameworks, stores and the network, none of which a pure file knows. */
const IMPURE_PACKAGES =
  /^(@nestjs\/|typeorm$|bullmq$|undici$|pg$|ioredis$|fastify$|node:(fs|net|tls|http|https|http2|dns|child_process|timers)(\/|$))/;

/** The client runs in browsers, too: it has one package, and nothing of Node (`tsconfig.client.json` takes its globals away). */
const CLIENT = 'src/api-client/';
const CLIENT_PACKAGES: readonly string[] = ['openapi-fetch'];

/** Everything in `tree` that breaks a rule, one sentence each. */
export function findProblems(tree: Tree): string[] {
  const graph = readGraph(tree);
  const files = [...graph.values()];
  return [
    ...files.flatMap(importsToTheRight),
    ...files.flatMap(importsToTheRightInside),
    ...largeFolders([...tree.keys()]),
    ...namesOfTwo(files),
    ...files.flatMap(impureRules),
    ...files.flatMap(packagesAwayFromHome),
    ...files.flatMap(packagesOfTheClient),
    ...files.filter((source) => source.isBarrel).map(({ file }) => `${file} is a barrel: it only re-exports`),
    ...findCircles(graph).map((circle) => `circle: ${[...circle, circle[0]].join(' -> ')}`),
  ];
}

function importsToTheRight({ file, imports }: SourceFile): string[] {
  const from = folderOf(file);
  if (!ORDER.includes(from) && !(from in SIDE_BRANCHES))
    return [`${file} is in a folder that has no place in the order`];
  return imports
    .filter((imported) => !mayImport(file, from, imported))
    .map((imported) => `${file} must not import ${imported}`);
}

function importsToTheRightInside({ file, imports }: SourceFile): string[] {
  const module = file.split('/')[1]!;
  const order = PARTS[module];
  if (!order) return [];
  const from = placeInside(file, order);
  if (from < 0) return [`${file} is in a part of ${module} that has no place in the order`];
  return imports
    .filter((imported) => imported.startsWith(`src/${module}/`) && placeInside(imported, order) > from)
    .map((imported) => `${file} must not import ${imported}`);
}

function placeInside(file: string, order: readonly string[]): number {
  if (file.endsWith('.module.ts')) return order.length;
  const [, , part, ...rest] = file.split('/');
  return order.indexOf(rest.length === 0 ? '.' : part!);
}

/** Folders with too many files, one sentence each. @public it is used by `scripts/check-architecture.mjs`, compiled */
export function largeFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = file.slice(0, file.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  const large = [...counts].filter(([, count]) => count > MAX_FILES);
  return large.map(([folder, count]) => `${folder} has ${count} files side by side, more than ${MAX_FILES}`);
}

/** One word means one thing: each exported class or type has a name of its own. */
function namesOfTwo(files: readonly SourceFile[]): string[] {
  const homes = new Map<string, string[]>();
  for (const { file, types } of files) {
    for (const name of new Set(types)) homes.set(name, [...(homes.get(name) ?? []), file]);
  }
  const shared = [...homes].filter(([, found]) => found.length > 1);
  return shared.map(([name, found]) => `${name} is the name of something in ${found.join(' and in ')}`);
}

function mayImport(file: string, from: string, imported: string): boolean {
  if (!imported.startsWith('src/')) return file === 'src/database/database.ts' && imported === 'migrations/index.ts';
  const to = folderOf(imported);
  if (to === from) return !imported.startsWith(DEMO) || file.startsWith(DEMO);
  const branch = SIDE_BRANCHES[from];
  if (branch) return branch.some((allowed) => imported === allowed || isBelow(imported, allowed));
  if (to in SIDE_BRANCHES) return file.startsWith(DEMO) && DEMO_MAY_ALSO.includes(to);
  return ORDER.includes(to) && ORDER.indexOf(to) < ORDER.indexOf(from);
}

/** `app` for the files directly in src/ and for the demonstration, else the folder below src/. */
function folderOf(file: string): string {
  const [, folder, ...rest] = file.split('/');
  return rest.length === 0 || file.startsWith(DEMO) ? 'app' : folder!;
}

function isBelow(file: string, folder: string): boolean {
  return folder.endsWith('/') && file.startsWith(folder);
}

function impureRules({ file, packages, impurities }: SourceFile): string[] {
  if (!PURE.some((pattern) => pattern.test(file))) return [];
  const wrong = [...packages.filter((name) => IMPURE_PACKAGES.test(name)), ...impurities];
  return wrong.map((what) => `${file} holds pure rules and must not use ${what}`);
}

function packagesAwayFromHome({ file, packages }: SourceFile): string[] {
  return packages
    .filter((name) => {
      const homes = PACKAGE_HOMES[name.split('/')[0]!];
      return homes && !homes.some((home) => file === home || isBelow(file, home));
    })
    .map((name) => `${file} must not import the package ${name}`);
}

function packagesOfTheClient({ file, packages }: SourceFile): string[] {
  if (!isBelow(file, CLIENT)) return [];
  const wrong = packages.filter((name) => !CLIENT_PACKAGES.includes(name));
  return wrong.map((name) => `${file} is for browsers, too, and must not import ${name}`);
}
