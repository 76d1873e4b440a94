import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'backup',
  once: ['backup'],
  isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['backup'] === 1,
  // A device that makes none, as often as it is asked: nobody can tell whether it never will.
  honestEnds: ['not_executed', 'unknown'],
});
