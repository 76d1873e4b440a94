import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'reboot',
  once: ['reboot'],
  isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['reboot'] === 1,
});
