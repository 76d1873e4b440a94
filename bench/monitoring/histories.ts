/*
 * C5: the table of histories of one device that the tests have (`test/monitoring/alert-histories.ts`): gaps, values
 * that are missing, counters that fall, restarts, another SIM, policies that go. Each is played pass by pass on a real
 * database with the schema of the product.
 */
import { Client } from 'pg';
import { prepareDatabase } from '../../src/database/database.js';
import { HISTORIES, OneDevice } from '../../test/monitoring/alert-histories.js';
import { type Bench } from './scene.js';

export async function playHistories({ report, server }: Bench): Promise<void> {
  const url = await server.createDatabase();
  await prepareDatabase(url);
  const db = new Client({ connectionString: url });
  await db.connect();
  let passes = 0;
  const wrong: string[] = [];
  try {
    const device = await OneDevice.make(db);
    for (const [name, rule, steps, wanted, opened] of HISTORIES) {
      const found = await device.play(rule, steps);
      const events = await device.events();
      const times = events.filter((type) => type === 'alert.opened').length;
      if (found !== wanted || times !== opened)
        wrong.push(`${name}: ${found} in place of ${wanted}, opened ${times} times`);
      passes += steps.length;
      await device.forget();
    }
  } finally {
    await db.end();
  }
  report.add({
    id: 'C5',
    what: 'histories of a device with a false, a missing or a stuck alert',
    value: wrong.length,
    unit: 'histories',
    against: '',
    bound: { atMost: 0 },
    detail: `rows and events after each of ${passes} passes, ${HISTORIES.length} histories${wrong.map((one) => `; ${one}`).join('')}`,
  });
}
