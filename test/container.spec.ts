import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import { ENVIRONMENT_NAMES } from './support/source/setting-names.js';

/* What the image is built from, checked without Docker. */

const TRACKED = execFileSync('git', ['ls-files'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\n');

/** Sources of `COPY` that come from the folder, not from another stage. */
function copiedSources(dockerfile: string): string[] {
  return dockerfile
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^\s*(COPY|ADD)\s/i.test(line) && !/\s--from=/i.test(line))
    .flatMap((line) =>
      line
        .trim()
        .split(/\s+/)
        .slice(1, -1)
        .filter((word) => !word.startsWith('--')),
    );
}

/** Whether a file reaches the builder: the last rule that matches the file or a folder above it decides. */
function passes(file: string, dockerignore: string): boolean {
  let isSent = true;
  for (const line of dockerignore.split('\n')) {
    const rule = line.trim();
    if (rule === '' || rule.startsWith('#')) continue;
    const pattern = rule.replace(/^!/, '').replace(/^\/|\/$/g, '');
    if (pattern !== '*' && /[*?[\\]/.test(pattern)) throw new Error(`this test does not read the pattern ${rule}`);
    if (pattern === '*' || file === pattern || file.startsWith(`${pattern}/`)) isSent = rule.startsWith('!');
  }
  return isSent;
}

/** Names that a build needs and does not get: nothing is tracked there, or a tracked file does not pass. */
function missing(names: readonly string[], dockerignore: string, tracked = TRACKED): string[] {
  return names.filter((name) => {
    const files = tracked.filter((file) => file === name || file.startsWith(`${name}/`));
    return files.length === 0 || !files.every((file) => passes(file, dockerignore));
  });
}

const DOCKERFILE = readFileSync('Dockerfile', 'utf8');
const DOCKERIGNORE = readFileSync('.dockerignore', 'utf8');

interface Lock {
  readonly packages: Readonly<Record<string, object>>;
}
interface Service {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly mem_limit: string;
  readonly logging: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
}
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: object;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
};
const services = Object.entries(compose.services);
const isOfMonitoring = ({ profiles }: Service) => profiles?.includes('monitoring') === true;

it('sends every source of a COPY to the builder', () => {
  const sources = copiedSources(DOCKERFILE);
  expect(sources).toContain('console');
  expect(missing(sources, DOCKERIGNORE)).toEqual([]);
});

it('copies everything that the build depends on', () => {
  const [, list] = /const SOURCES = \[([^\]]+)\]/.exec(readFileSync('scripts/ensure.mjs', 'utf8')) ?? [];
  const needed = [...list!.matchAll(/'([^']+)'/g)].map(([, name]) => name!);
  expect(needed.length).toBeGreaterThan(5);
  const copied = copiedSources(DOCKERFILE);
  expect(needed.filter((name) => !copied.some((at) => name === at || name.startsWith(`${at}/`)))).toEqual([]);
});

it('installs once, with a cache, and leaves out what only the build needs', () => {
  const commands = DOCKERFILE.split('\n').filter((line) => line.startsWith('RUN '));
  const installs = commands.filter((line) => /npm (ci|i|install)\b/.test(line));
  expect(installs).toEqual(['RUN --mount=type=cache,target=/root/.npm npm ci']);
  // npm leaves packages that an optional peer of ours could use.
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  expect(packages['node_modules/typescript']).toMatchObject({ devOptional: true });
  expect(commands).toContain('RUN npm prune --omit=dev && rm -r node_modules/typescript');
  expect(DOCKERFILE).toMatch(/^COPY --from=production \S*node_modules /m);
});

it('has a health check that starts no Node and is patient', () => {
  const [, options, words] = /^HEALTHCHECK (.*) CMD (\[.*\])$/m.exec(DOCKERFILE)!;
  expect(options).toBe('--interval=30s --timeout=10s --start-period=120s --retries=3');
  expect(JSON.parse(words!)).toEqual(['/bin/bash', '/app/deploy/healthcheck.sh']);
});

it('starts and checks by scripts that are copied', () => {
  const scripts = [...DOCKERFILE.matchAll(/"\/app\/(deploy\/[\w.-]+)"/g)].map(([, script]) => script!);
  expect(scripts).toHaveLength(2);
  expect(copiedSources(DOCKERFILE)).toEqual(expect.arrayContaining(scripts));
});

it('is based on the stable Debian', () => {
  const [bases, stages] = [[...DOCKERFILE.matchAll(/^FROM (\S+)/gm)], [...DOCKERFILE.matchAll(/ AS (\S+)$/gm)]];
  const own = new Set(stages.map(([, stage]) => stage));
  const ofServices = services.filter(([, service]) => !isOfMonitoring(service)).map(([, { image }]) => image);
  const images = [...bases.map(([, image]) => image!), ...ofServices];
  const foreign = images.filter((image) => !own.has(image) && image !== 'fleetgate');
  expect(foreign).toHaveLength(4);
  expect(foreign.filter((image) => !/-trixie(-slim)?(@sha256:[0-9a-f]{64})?$/.test(image))).toEqual([]);
});

it.each(services)('%s has limits of memory and logs', (_, { mem_limit: limit, logging }) => {
  expect(limit).toMatch(/^\$\{[A-Z]+_MEMORY:-\d+[gm]\}$/);
  expect(logging).toEqual({ driver: 'local', options: { 'max-size': '10m', 'max-file': '5' } });
});

it('lets the API have several containers, each with a port of a range', () => {
  const { ports } = compose.services['api']!;
  expect(ports).toEqual(['127.0.0.1:${API_PORTS:-8080}:8080']);
  expect(compose.services['worker']!.ports).toBeUndefined();
  expect(Object.values(compose.services).filter((service) => 'container_name' in service)).toEqual([]);
});

it('names settings and files that are there', () => {
  for (const name of ['api', 'worker', 'simulator']) {
    const names = Object.keys(compose.services[name]!.environment!);
    expect(names.filter((key) => !ENVIRONMENT_NAMES.has(key))).toEqual([]);
  }
  const { environment, secrets, entrypoint } = compose.services['api']!;
  expect(entrypoint).toBeUndefined(); // the image's own
  const files = Object.entries(environment!).filter(([key]) => key.endsWith('_FILE'));
  expect(files.map(([, file]) => file.replace('/run/secrets/', '')).sort()).toEqual([...secrets!].sort());
});

describe('the profile for monitoring', () => {
  const watchers = services.filter(([, service]) => isOfMonitoring(service));

  it('has the three programs, each of one version', () => {
    const versions = watchers.map(([name, { image }]) => [name, image.replace(/\d+(\.\d+){2}$/, '1.2.3')]);
    expect(versions).toEqual([
      ['prometheus', 'prom/prometheus:v1.2.3'],
      ['alertmanager', 'prom/alertmanager:v1.2.3'],
      ['grafana', 'grafana/grafana:1.2.3'],
    ]);
  });

  it.each(watchers)('%s is reachable from this machine alone, and may do little', (_, service) => {
    expect(service.ports!.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    // `back` has the database.
    expect(service).toMatchObject({ networks: ['front'], read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
    expect(service).toMatchObject({ security_opt: ['no-new-privileges:true'] });
  });

  it.each(watchers)('%s has the files and volumes that it names, and its secrets as files', (_, service) => {
    const sources = service.volumes!.map((volume) => volume.split(':')[0]!);
    const isThere = (source: string) => (source.startsWith('./') ? existsSync(source) : source in compose.volumes);
    expect(sources.filter((source) => !isThere(source))).toEqual([]);
    expect(service.volumes!.filter((volume) => volume.startsWith('./') && !volume.endsWith(':ro'))).toEqual([]);
    const files = sources.filter((source) => source.endsWith('.yml')).map((source) => readFileSync(source, 'utf8'));
    const named = [...files, ...Object.values(service.environment ?? {})].flatMap((text) => [
      ...text.matchAll(/\/run\/secrets\/(\w+)/g),
    ]);
    expect([...new Set(named.map(([, secret]) => secret!))]).toEqual(service.secrets);
    for (const secret of service.secrets!) expect(compose.secrets[secret]).toEqual({ file: `./secrets/${secret}` });
  });

  it.each([
    ['prometheus.yml', ['alertmanager:9093', 'api:8080']],
    ['grafana/provisioning/datasources/prometheus.yml', ['prometheus:9090']],
  ])('names other services in %s by their name and port', (file, expected) => {
    const text = readFileSync(`docs/monitoring/${file}`, 'utf8').replaceAll(/#.*/g, '');
    const names = new Set([...text.matchAll(/\b[a-z]+:\d+\b/g)].map(([name]) => name));
    // Exporters are the reader's own.
    for (const own of ['blackbox:9115', 'snmp:9116']) names.delete(own);
    expect([...names].sort()).toEqual(expected);
    for (const [name, port] of expected.map((one) => one.split(':')))
      expect(compose.services[name!]!.ports![0]).toMatch(new RegExp(`:${port}$`));
  });
});

it('is run by a script whose headings the page has', () => {
  const script = readFileSync('scripts/test-containers.sh', 'utf8');
  const page = readFileSync('docs/howto/run-in-containers.md', 'utf8');
  const headings = [...script.matchAll(/^ +block '?([A-Z][\w ]+?)'?$/gm)].map(([, heading]) => heading!);
  expect(headings).toEqual(['Start', 'Back up', 'Restore', 'Upgrade']);
  expect(headings.filter((heading) => !page.includes(`\n## ${heading}\n`))).toEqual([]);
});

it.skipIf(process.platform === 'win32')('skips that script in plain words where it cannot run', () => {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { status, stdout } = spawnSync('bash', ['scripts/test-containers.sh'], { encoding: 'utf8', ...user });
  expect([status, stdout]).toEqual([
    3,
    expect.stringMatching(/^SKIPPED: .*Only root can make namespaces and mounts\.\n$/),
  ]);
});

it.each<[rules: string, name: string, isMissing: boolean]>([
  ['*\n!src', 'src', false],
  ['*\n!src', 'console', true],
  ['*\n!src\n!console', 'console', false],
  ['*\n!console/src', 'console', true],
  ['*\n!console\nconsole/src', 'console', true],
  ['# *\n', 'console', false],
  ['', 'console', false],
  ['*\n!src/', 'src', false],
  ['*\n!/src', 'src', false],
  ['!src\n*', 'src', true],
  ['*\n!src', 'src/main.ts', false],
  ['*\n!sr', 'src', true],
  ['', 'no-such-folder', true],
])('reads %j: %s is missing: %s', (rules, name, isMissing) => {
  const tracked = ['src/main.ts', 'console/index.html', 'console/src/main.tsx'];
  expect(missing([name], rules, tracked)).toEqual(isMissing ? [name] : []);
});
