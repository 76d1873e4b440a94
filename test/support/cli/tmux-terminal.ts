import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { until } from '../until.js';

/* A real terminal of 80 columns and 24 lines, in a tmux server of its own. */

export const HAS_TMUX = spawnSync('tmux', ['-V']).status === 0;

/** Why a test is left out where there is none. */
export const NO_TMUX = 'SKIPPED: tmux is not installed (apt-get install tmux)';

export class TmuxTerminal {
  private readonly server = `fleetgate-test-${randomUUID()}`;

  /** Opens it with a shell that has these variables. */
  constructor(environment: Readonly<Record<string, string>>) {
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    // More than one word is run as it is; a login shell would set its own PATH.
    this.tmux('-f', '/dev/null', 'new-session', '-d', '-x', '80', '-y', '24', 'env', ...variables, 'sh');
  }

  /** The lines that it shows, without those that scrolled away. */
  lines(): string[] {
    return this.tmux('capture-pane', '-p').trimEnd().split('\n');
  }

  /** All lines since it was opened. */
  allLines(): string[] {
    return this.tmux('capture-pane', '-p', '-S', '-').trimEnd().split('\n');
  }

  /** Types a line and Enter. */
  type(line: string): void {
    this.press(line, 'Enter');
  }

  /** Types a text, and presses keys by their names in tmux. */
  press(text: string, ...keys: readonly string[]): void {
    if (text !== '') this.tmux('send-keys', '-l', text);
    this.tmux('send-keys', ...keys);
  }

  interrupt(): void {
    this.tmux('send-keys', 'C-c');
  }

  /** Waits until a line has the text or the form. @returns all lines of then */
  async shows(wanted: string | RegExp): Promise<string[]> {
    return until(() => {
      const lines = this.allLines();
      const isThere = lines.some((line) => (typeof wanted === 'string' ? line.includes(wanted) : wanted.test(line)));
      return isThere ? lines : null;
    });
  }

  close(): void {
    this.tmux('kill-server');
  }

  private tmux(...args: readonly string[]): string {
    return execFileSync('tmux', ['-L', this.server, ...args], { encoding: 'utf8' });
  }
}
