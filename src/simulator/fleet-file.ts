/* A fleet in a file: mixed groups of devices, configuration services of one's own, and faults from the start. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { defined, fleetWide, groupOptions, REAL_BACKUP_BYTES, type FleetOptions } from './fleet.js';

const fleetFile = z.strictObject({
  ...fleetWide.partial().shape,
  groups: z
    .array(groupOptions.extend({ backupBytes: groupOptions.shape.backupBytes.default(REAL_BACKUP_BYTES) }))
    .min(1),
});

/** Reads and checks a fleet file. @throws Error with every problem in words */
export function readFleetFile(file: string): FleetOptions {
  const parsed = fleetFile.safeParse(jsonOf(file));
  if (!parsed.success) throw new Error(`${file} is not right:\n${z.prettifyError(parsed.error)}`);
  const { groups, ...wide } = parsed.data;
  const [first, ...rest] = groups;
  return { ...defined(wide), ...first!, groups: rest } as FleetOptions;
}

function jsonOf(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`The fleet file cannot be read: ${(error as Error).message}`, { cause: error });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${(error as Error).message}`, { cause: error });
  }
}
