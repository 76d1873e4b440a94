import { describeLaws } from '../support/kind-laws.js';

describeLaws({
  kind: 'credentials',
  once: ['update'],
  isDone: ({ fleet }, index) =>
    fleet.devices[index]!.accounts.find('admin')!.password !== fleet.devices[index]!.password,
});
