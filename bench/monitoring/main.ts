/*
 * `npm run bench:monitoring`, C1 to C11: monitoring from outside, on simulated routers, real receivers and a real
 * Prometheus. Each row says what was counted, where, and how many.
 */
import { measureCrashes } from './crashes.js';
import { measureFirmware } from './firmware.js';
import { measureHandshakes } from './handshakes.js';
import { playHistories } from './histories.js';
import { measureOutage } from './outage.js';
import { measurePace } from './pace.js';
import { measurePlug } from './plug.js';
import { measurePrice } from './price.js';
import { measureRights } from './rights.js';
import { takeRows } from './rows.js';
import { measureScrapes } from './scrape.js';
import { measureSize } from './size.js';

await takeRows({
  name: 'monitoring',
  short: 'about six minutes, for CI: the same rows with smaller fleets, faster clocks and bounds of their own',
  rows: [
    { ids: ['C1'], what: 'pace of samples', measure: measurePace },
    { ids: ['C2'], what: 'price and budget', measure: measurePrice, counts: true },
    { ids: ['C3'], what: 'half of the fleet away', measure: measureOutage, counts: true },
    { ids: ['C4'], what: 'deaths at any moment', measure: measureCrashes, counts: true },
    { ids: ['C5'], what: 'histories of a device', measure: playHistories, counts: true },
    { ids: ['C6'], what: 'rules and history of a large fleet', measure: measureSize },
    { ids: ['C7'], what: 'rollout of firmware', measure: measureFirmware, counts: true },
    { ids: ['C8'], what: 'scrapes by Prometheus', measure: measureScrapes },
    { ids: ['C9'], what: 'rights of one site', measure: measureRights, counts: true },
    { ids: ['C10'], what: 'handshakes', measure: measureHandshakes },
    { ids: ['C11'], what: 'from the plug to the message', measure: measurePlug },
  ],
});
