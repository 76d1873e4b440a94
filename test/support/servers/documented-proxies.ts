import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { selfSigned } from '../../../src/simulator/device/certificates.js';
import { freePort } from './free-port.js';
import { Nginx } from './nginx.js';
import { installed, ServerProcess } from './server-process.js';

/* The files of the how-to about proxies, started as they are but for addresses and places of files. */

const HOWTO = readFileSync('docs/howto/run-behind-a-proxy.md', 'utf8');

/** The name of the gateway in the how-to. */
export const HOST = 'fleet.example';

/** The files of a page in this language, in their order. */
export function filesOf(language: string): string[] {
  const [, ...parts] = HOWTO.split(`\n\`\`\`${language}\n`);
  return parts.map((part) => part.split('\n```\n', 1)[0]!);
}

/** A file with the line that the how-to changes for a gateway below a path. */
export function belowAPath(proxy: string, file: string): string {
  const row = HOWTO.split('\n').find((line) => line.startsWith(`| ${proxy} `) && line.includes('/fleet'))!;
  const [before, after] = row
    .split(' | ')
    .slice(1)
    .map((cell) => cell.replaceAll(/^`+\s*|`+(?: *\|)?\s*$/g, ''));
  if (file.split(before!).length !== 2)
    throw new Error(`The file for ${proxy} does not have this line once: ${before}`);
  return file.replace(before!, after!);
}

export interface StartedProxy {
  readonly port: number;
  /** By plain http. */
  readonly plainPort: number;
  readonly certificate: string;
  stop(): Promise<void>;
}

interface Places {
  readonly folder: string;
  readonly port: number;
  readonly plainPort: number;
}

export interface DocumentedProxy {
  readonly name: string;
  readonly language: string;
  /** Why its tests are skipped, for their names; null: it is installed. */
  readonly missing: string | null;
  /** @param file as in the how-to, with the address of the gateway */
  start(file: string): Promise<StartedProxy>;
}

const CERTIFICATE = selfSigned({
  commonName: HOST,
  alternativeNames: [HOST],
  notBefore: new Date(Date.now() - 86_400_000),
  notAfter: new Date(Date.now() + 86_400_000),
});

async function withCertificate(file: string, folder: string): Promise<string> {
  const at = path.join(folder, HOST);
  await writeFile(`${at}.pem`, CERTIFICATE.certificatePem);
  await writeFile(`${at}.key`, CERTIFICATE.keyPem);
  return file.replaceAll(`/etc/ssl/${HOST}`, at);
}

/** @param form the complete configuration, from the file with its certificate */
async function start(
  program: string,
  file: string,
  form: (file: string, places: Places) => string,
  args: (configuration: string) => readonly string[],
): Promise<StartedProxy> {
  const plainPort = await freePort();
  const server = await ServerProcess.start(program, async (port, folder) => {
    const configuration = path.join(folder, 'configuration');
    await writeFile(configuration, form(await withCertificate(file, folder), { folder, port, plainPort }));
    return args(configuration);
  });
  return { port: server.port, plainPort, certificate: CERTIFICATE.certificatePem, stop: () => server.stop() };
}

const skipped = (program: string | null, name: string, debianPackage: string) =>
  program ? null : `, skipped: ${name} is not installed (apt-get install ${debianPackage})`;

const APACHE = installed('apache2');
const CADDY = installed('caddy', 'version');

/** Those that `a2enmod` of the how-to switches on, and those that Debian has on from the start. */
function apacheModules(): string {
  const named = /`a2enmod ([a-z_0-9 ]+)`/.exec(HOWTO)![1]!.split(' ');
  return ['mpm_event', 'authz_core', 'alias', 'reqtimeout', 'socache_shmcb', ...named]
    .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`)
    .join('\n');
}

export const DOCUMENTED_PROXIES: readonly DocumentedProxy[] = [
  {
    name: 'nginx',
    language: 'nginx',
    missing: Nginx.missing,
    start: (file) =>
      start(
        installed('nginx')!,
        file,
        (text, { folder, port, plainPort }) =>
          Nginx.configuration(
            text
              .replace('listen 443', `listen 127.0.0.1:${port}`)
              .replace('listen 80', `listen 127.0.0.1:${plainPort}`),
            folder,
          ),
        (configuration) => Nginx.argumentsFor(configuration),
      ),
  },
  {
    name: 'Apache',
    language: 'apache',
    missing: skipped(APACHE, 'Apache', 'apache2-bin'),
    start: (file) =>
      start(
        APACHE!,
        file,
        (text, { folder, port, plainPort }) => `ServerRoot ${folder}
ServerName ${HOST}
PidFile ${folder}/pid
ErrorLog ${folder}/error.log
DefaultRuntimeDir ${folder}
${apacheModules()}
${process.getuid?.() === 0 ? 'User nobody\nGroup nogroup' : ''}
Listen 127.0.0.1:${port} https
Listen 127.0.0.1:${plainPort} http
${text.replace('*:443>', `*:${port}>`).replace('*:80>', `*:${plainPort}>`)}`,
        (configuration) => ['-D', 'FOREGROUND', '-f', configuration],
      ),
  },
  {
    name: 'Caddy',
    language: 'caddyfile',
    missing: skipped(CADDY, 'Caddy', 'caddy'),
    start: (file) =>
      start(
        CADDY!,
        file,
        (text, { port, plainPort }) => `{
  admin off
  default_bind 127.0.0.1
  https_port ${port}
  http_port ${plainPort}
  log {
    level ERROR
  }
}
${text}`,
        (configuration) => ['run', '--config', configuration, '--adapter', 'caddyfile'],
      ),
  },
];
