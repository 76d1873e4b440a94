import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws('reconcile');
