import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'users',
  spec: () => ({ accounts: [{ username: 'ops', group: 'user' }] }),
  once: ['create'],
  isDone: ({ fleet }, index) => fleet.devices[index]!.accounts.find('ops') !== undefined,
  // The account is there, and something after it (the proof of its password) could not be done.
  honestEnds: ['not_executed', 'failed'],
});
