/* Who and where the routers of the demo are: names, sites, tags, notes and custom fields. Pure. */

/** The rollouts of the demo change these; the others have no backup, so that the coverage has gaps. */
export const FIELD_TAG = 'field';

export const FIELD_DEVICES = 20;

const SITES = [
  ['vilnius', 'lt', 'Europe/Vilnius'],
  ['kaunas', 'lt', 'Europe/Vilnius'],
  ['riga', 'lv', 'Europe/Riga'],
  ['gdansk', 'pl', 'Europe/Warsaw'],
] as const;

const USES = ['pump', 'kiosk', 'camera'] as const;

const NOTES: Readonly<Record<number, string>> = {
  0: 'Keys at the gate. Ask for Jonas.',
  4: 'Antenna replaced in May; weak signal before.',
  7: 'On a boat in summer.',
  13: 'Do not restart between 6:00 and 9:00.',
};

/** Of routers that use more than most: the simulator gives each its own traffic. One of the others is a little above its plan at the end of a month. */
const LARGE_PLANS_MB: Readonly<Record<number, number>> = { 7: 100_000, 13: 60_000, 19: 100_000 };

export const DEMO_FIELDS = {
  rack: { type: 'text' as const, description: 'Where it is mounted' },
  contract: { type: 'choice' as const, choices: ['basic', 'plus'], description: 'Service contract' },
  installed: { type: 'date' as const, description: 'When it was installed' },
};

/** @param index of the simulated device, from 0 */
export function demoDevice(index: number) {
  const number = String(index + 1).padStart(2, '0');
  if (index >= FIELD_DEVICES) {
    const lab = { site: 'vilnius/lab', timeZone: 'Europe/Vilnius', tags: ['demo', 'lab'] };
    return { ...lab, name: `lab-${number}`, note: '', fields: { contract: 'basic' } };
  }
  const [city, country, timeZone] = SITES[index % SITES.length]!;
  const use = USES[index % USES.length]!;
  return {
    name: `${city}-${use}-${number}`,
    site: `${city}/${index % 8 < 4 ? 'plant-1' : 'plant-2'}`,
    timeZone,
    // The simulator makes five families in turn; the first three have Wi-Fi.
    tags: ['demo', FIELD_TAG, use, country, ...(index % 5 < 3 ? ['wifi'] : [])],
    note: NOTES[index] ?? '',
    fields: {
      rack: `${'ABC'[index % 3]}${1 + (index % 5)}`,
      contract: index % 4 === 0 ? 'plus' : 'basic',
      plan_mb: LARGE_PLANS_MB[index] ?? (index % 4 === 0 ? 100_000 : 50_000),
      installed: `2025-${String(1 + (index % 12)).padStart(2, '0')}-15`,
    },
  };
}
