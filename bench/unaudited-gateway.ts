/*
 * The gateway without an audit, so that its cost can be measured: no entry is opened or closed for a write on a device, and
 * no log is kept. Answers are digested all the same, as part of the road (2 µs of some 160). Nothing in the product can be
 * set like this.
 */
import { Sequencer } from '../src/audit/log/sequencer.js';
import { WriteRecords } from '../src/proxy/calls/write-record.js';

WriteRecords.prototype.open = (intent) => Promise.resolve({ entryIds: [], intent });
WriteRecords.prototype.close = () => Promise.resolve();
Sequencer.prototype.sweep = () => Promise.resolve({});
Sequencer.prototype.catchUp = () => Promise.resolve();

await import('../src/main.js');
