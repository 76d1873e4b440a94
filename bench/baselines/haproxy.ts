/* The ceiling, where it is installed: HAProxy with one thread, TLS to the devices, and the token as a constant header. */
import { startProxyProgram, versionOf } from './proxy-program.js';
import { AUTHORIZATION, type BaselineSettings } from './settings.js';

/** The version of HAProxy on this machine; null when there is none. */
export const haproxyVersion = (): string | null => versionOf('haproxy', /version (\d[\d.]*)/);

/** Starts HAProxy in front of the devices. */
export const startHaproxy = ({ devices }: BaselineSettings): ReturnType<typeof startProxyProgram> =>
  startProxyProgram({
    program: 'haproxy',
    args: (_folder, file) => ['-f', file, '-db'],
    configuration: (_folder, port) => configuration(port, devices),
  });

const configuration = (port: number, devices: BaselineSettings['devices']): string => `
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend callers
  bind 127.0.0.1:${port}
  use_backend %[path,field(4,/),regsub(^name:,)]
${devices
  .map(
    ({ name, port: device }) => `backend ${name}
  http-request set-path %[path,regsub(^/v1/devices/name:[^/]+,)]
  http-request set-header Authorization "${AUTHORIZATION}"
  server device 127.0.0.1:${device} ssl verify none
`,
  )
  .join('')}`;
