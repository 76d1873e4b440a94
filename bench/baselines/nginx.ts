/* The baseline in C, where it is installed: nginx as one process, with keep-alive connections for each device and the token as a constant header. */
import { startProxyProgram, versionOf } from './proxy-program.js';
import { AUTHORIZATION, type BaselineSettings } from './settings.js';

/** The version of nginx on this machine; null when there is none. */
export const nginxVersion = (): string | null => versionOf('nginx', /nginx\/(\S+)/);

/** Starts nginx in front of the devices. */
export const startNginx = ({ devices }: BaselineSettings): ReturnType<typeof startProxyProgram> =>
  startProxyProgram({
    program: 'nginx',
    args: (folder, file) => ['-p', folder, '-c', file, '-e', 'stderr'],
    configuration: (folder, port) => configuration(folder, port, devices),
  });

function configuration(folder: string, port: number, devices: BaselineSettings['devices']): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const upstreams = devices.map(
    (device) =>
      `upstream ${device.name} { server 127.0.0.1:${device.port}; keepalive 4; keepalive_requests 100000000; }`,
  );
  const locations = devices.map(
    ({ name }) => `location /v1/devices/name:${name}/api/ { proxy_pass https://${name}/api/; }`,
  );
  return `
    daemon off; master_process off; pid ${folder}/pid; error_log stderr crit;
    events { worker_connections 4096; }
    http {
      access_log off; keepalive_requests 100000000; ${paths.join(' ')}
      proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Authorization "${AUTHORIZATION}";
      ${upstreams.join('\n')}
      server { listen 127.0.0.1:${port}; ${locations.join('\n')} }
    }
  `;
}
