import { CONTROL_KEYS } from './control-keys.js';
import { FLEET_KEYS } from './fleet-keys.js';
import { WORK_KEYS } from './work-keys.js';

/*
 * The names of all that the console reads, in one place. Each begins with the noun of its rows: an event refreshes the reads of its nouns
 * (`live.ts`), and an action those that it names.
 */

export const KEYS = { ...FLEET_KEYS, ...WORK_KEYS, ...CONTROL_KEYS } as const;
