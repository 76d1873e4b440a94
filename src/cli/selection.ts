import { type Context } from './context.js';
import { UsageError } from './exit-codes.js';
import { requireConsent } from './input/secret.js';

/* Before many devices are changed: which ones, which not and why, and consent to exactly these. */

interface Preview {
  readonly matched: number;
  readonly count: number;
  readonly sample: readonly { readonly name: string }[];
  readonly excluded: readonly { readonly reason: string; readonly count: number }[];
  readonly digest: string;
}

/**
 * Shows what an action on the devices of a selector would take, and asks for consent.
 * @param permission what the action needs, such as `device.tag`
 * @returns the digest of the set; the action sends it, and the gateway refuses another set
 * @throws UsageError when it is refused, or when nothing is selected
 */
export async function previewSelection(selector: string, permission: string, context: Context): Promise<Preview> {
  const answer = await context.send('POST', '/v1/devices/preview', { json: { selector, permission } });
  const preview = (await answer.json()) as Preview;
  for (const line of previewLines(preview)) context.say(line);
  if (preview.count === 0) throw new UsageError('No device is left to act on; nothing was done');
  if (context.flags.dryRun) return preview;
  await requireConsent(`This acts on ${preview.count} devices.`, null, context.flags, context.terminal);
  return preview;
}

export function previewLines({ count, matched, sample, excluded }: Preview): string[] {
  const names = sample.map(({ name }) => name).join(', ');
  const more = count > sample.length ? ', …' : '';
  const first = `${count} of ${matched} devices of the selector${count === 0 ? '' : `: ${names}${more}`}`;
  return [first, ...excluded.map((one) => `  left out: ${one.count}, ${one.reason}`)];
}
