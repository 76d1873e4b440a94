import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'credentials',
  once: ['update'],
  // What the devices of a simulated fleet come with begins so.
  isDone: ({ fleet }, index) => !fleet.devices[index]!.accounts.find('admin')!.password.startsWith('Router-'),
});
