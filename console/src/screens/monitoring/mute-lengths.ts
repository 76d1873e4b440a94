/** For how many hours a mute holds, as a person chooses it. */
export const LENGTHS = [
  ['1', 'for 1 hour'],
  ['8', 'for 8 hours'],
  ['24', 'for a day'],
  ['168', 'for a week'],
  ['720', 'for 30 days'],
] as const;
