import { type Command } from 'commander';
import { BODY_FILE, ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { readDocument } from '../input/document.js';
import { requireConsent } from '../input/secret.js';
import { SET_PASSWORD_FIRST } from './shown.js';
import { deviceAddress, devicePath } from '../operations/request.js';

/* `fleetgate call`: the API of one device, through the gateway. */

interface CallFlags extends GlobalFlags {
  readonly file?: string;
}

/** A command for each method of a device's API. */
export function callCommands(open: OpenContext): Command[] {
  return ['get', 'post', 'put', 'delete'].map((method) => {
    const writes = method !== 'get';
    return ownCommand<CallFlags>(open, {
      words: `${method} <device> <path>`,
      summary: writes
        ? `Sends ${method.toUpperCase()} to a device and prints its answer`
        : 'Reads from a device and prints its answer',
      examples: writes
        ? [
            `fleetgate call ${method} pump-1 /system/device/config${method === 'delete' ? '' : " -f body.json --reason 'new name'"}`,
          ]
        : ['fleetgate call get pump-1 /system/device/status'],
      more: 'The path is that of the device, with or without /api. The exit code is 1 when the device answers with an error.',
      ...(writes ? { changes: true, options: [BODY_FILE] } : {}),
      run: (context, flags, device = '', path = '') => call(context, method.toUpperCase(), device, path, flags),
    });
  });
}

async function call(context: Context, method: string, device: string, path: string, flags: CallFlags): Promise<void> {
  const address = `${deviceAddress(device)}${devicePath(path)}`;
  const json = flags.file === undefined ? undefined : await readDocument(flags.file, context.terminal.stdin);
  if (flags.dryRun) return context.say(`Would send ${method} ${address}`);
  if (method === 'DELETE') await requireConsent(`This removes ${path} on ${device}.`, null, flags, context.terminal);
  const answer = await context.send(method, address, { takesErrors: true, ...(json === undefined ? {} : { json }) });
  if (answer.status >= 400) {
    for (const line of refusalLines(device, answer)) context.say(line);
    context.endWith(EXIT.error);
  }
  const text = await answer.text();
  if (text === '') return;
  if (flags.output === undefined || flags.output === 'json') return context.out(pretty(text));
  const value: unknown = JSON.parse(text);
  await context.object(typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : { value });
}

/** What the gateway says beside the answer of a device, in `Proxy-Status`. */
const DEMAND = /; details="([^"]{1,200})"$/;

function refusalLines(device: string, { status, headers }: Response): string[] {
  const said = `The device answered with status ${status}`;
  const demand = DEMAND.exec(headers.get('proxy-status') ?? '')?.[1];
  if (demand === undefined) return [said];
  return [`${said}: ${demand}`, SET_PASSWORD_FIRST, `  fleetgate device credentials ${device} --username <name>`];
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
