import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installed, ServerProcess } from './server-process.js';

const PROGRAM = installed('nginx');

/** Folders that nginx has below /var/lib by default. */
const FOLDERS = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];

/** An nginx of a test's own, with its defaults beside what is given. */
export class Nginx {
  private constructor(private readonly server: ServerProcess) {}

  /** Why its tests are skipped, for their names; null: it is installed. */
  static readonly missing = PROGRAM ? null : ', skipped: nginx is not installed (apt-get install nginx)';

  /**
   * @param http what is inside `http { … }`, from the port to listen on and the folder of the server
   */
  static async start(http: (port: number, folder: string) => string): Promise<Nginx> {
    const server = await ServerProcess.start(PROGRAM!, async (port, folder) => {
      const file = path.join(folder, 'nginx.conf');
      await writeFile(file, Nginx.configuration(http(port, folder), folder));
      return Nginx.argumentsFor(file);
    });
    return new Nginx(server);
  }

  /** A whole file, from what is inside `http { … }`. */
  static configuration(http: string, folder: string): string {
    const paths = FOLDERS.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    const main = `daemon off; ${user} worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;`;
    return `${main}\nevents {}\nhttp {\naccess_log off;\n${paths}\n${http}\n}\n`;
  }

  static argumentsFor(file: string): readonly string[] {
    const folder = path.dirname(file);
    return ['-p', folder, '-c', file, '-e', `${folder}/error.log`];
  }

  /** Its first port by plain http. */
  get url(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}
