import { spawn } from 'node:child_process';
import { Argument, type Command } from 'commander';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { UsageError } from '../exit-codes.js';
import { deviceRef } from '../operations/request.js';

/* `fleetgate open`: the console of the gateway, in a browser. */

const SCREENS = 'devices fan-outs rollouts schedules jobs backups artifacts certificates audit access system'.split(
  ' ',
);
/** Screens that show one of what they list. */
const WITH_ONE: ReadonlySet<string> = new Set(['devices', 'fan-outs', 'rollouts', 'jobs']);

/** A program that starts a browser ends at once, or is the browser and runs on, in milliseconds. */
const STARTED_AFTER_MS = 2_000;

interface OpenFlags extends GlobalFlags {
  readonly print?: boolean;
}

export function openCommand(open: OpenContext): Command {
  const command = ownCommand<OpenFlags>(open, {
    words: 'open',
    summary: 'Opens the console in your browser',
    examples: ['fleetgate open', 'fleetgate open rollouts', 'fleetgate open devices pump-1', 'fleetgate open --print'],
    more: 'BROWSER names the program that opens addresses. The console asks you to sign in; no key is in the address.',
    options: [['--print', 'only prints the address']],
    run: openConsole,
  });
  command.addArgument(new Argument('[screen]', 'which screen').choices(SCREENS));
  return command.addArgument(new Argument('[which]', 'a device, or the id of a job, rollout or fan-out'));
}

async function openConsole(context: Context, { print }: OpenFlags, screen?: string, which?: string): Promise<void> {
  const { url } = await context.gateway();
  const address = consoleAddress(url, screen, which);
  context.out(address);
  if (print) return;
  const hasOpened = await startBrowser(address, context.environment);
  if (!hasOpened) context.say('No browser could be started here: open the address yourself, or set BROWSER');
}

/** Where a screen of the console is. @throws UsageError for an address that no browser should open, and for a screen of many */
export function consoleAddress(gateway: string, screen?: string, which?: string): string {
  if (!URL.canParse(gateway) || !/^https?:$/.test(new URL(gateway).protocol))
    throw new UsageError('The address of the gateway begins with https:// or http://');
  if (which !== undefined && !WITH_ONE.has(screen!)) throw new UsageError(`${screen} shows all; leave ${which} out`);
  const one = screen === 'devices' && which !== undefined ? deviceRef(which) : which;
  const parts = ['console', screen, one].filter((part) => part !== undefined).map(encodeURIComponent);
  return new URL(parts.join('/'), `${gateway.replace(/\/$/, '')}/`).href;
}

/** @returns whether a program took the address */
async function startBrowser(address: string, { BROWSER }: Context['environment']): Promise<boolean> {
  const [program, ...args] = BROWSER ? BROWSER.split(' ') : opener();
  const child = spawn(program!, [...args, address], { stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(true), STARTED_AFTER_MS);
    const end = (isOpen: boolean) => {
      clearTimeout(timer);
      child.unref();
      resolve(isOpen);
    };
    child.once('error', () => end(false)).once('exit', (code) => end(code === 0));
  });
}

/** The program of the system that opens addresses; none of them gives the address to a shell. */
function opener(): readonly string[] {
  if (process.platform === 'darwin') return ['open'];
  return process.platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
