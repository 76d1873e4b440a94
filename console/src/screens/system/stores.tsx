import { type ReactNode } from 'react';
import { bytesText, countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { isSignedLate } from './signing.js';

type System = Schema<'System'>;

/** Less free space than this is told before the database stops for want of it. */
const LITTLE_BYTES = 2_000_000_000;

/** Where things are stored, how much that is, when the disk is full, and whether the audit is signed in time. */
export function Stores({ system }: { system: System }): ReactNode {
  const { database, queue, storage, audit } = system;
  const { disk, items } = storage;
  const largest = items[0];
  const place = database.embedded ? 'embedded' : 'a server of its own';
  return (
    <Card title="Stores">
      <Facts
        of={[
          ['Database', `Postgres ${database.version}, ${place}`],
          ['Its size', `${bytesText(storage.database.bytes)}${growth(storage.database.bytesPerDay)}`],
          ['Largest', largest && `${largest.name.replaceAll('_', ' ')}, ${bytesText(largest.bytes)}`],
          [
            'Free disk',
            disk && (
              <Mark key="free" tone={disk.freeBytes < LITTLE_BYTES ? 'warn' : 'good'}>
                {bytesText(disk.freeBytes)}
              </Mark>
            ),
          ],
          ['Disk full', disk?.fullAt ? <Ago key="full" at={disk.fullAt} /> : 'not in sight'],
          [
            'Audit',
            audit ? (
              <To key="signed" to="/audit">
                {countText(audit.size, 'entry', 'entries')} signed
              </To>
            ) : (
              'nothing signed yet'
            ),
          ],
          ['Checkpoint', audit && <Checkpoint key="checkpoint" system={system} at={audit.signedAt} />],
          ['Redis', queue === 'redis' ? 'in use' : 'not configured (REDIS_URL)'],
        ]}
      />
    </Card>
  );
}

function Checkpoint({ system, at }: { system: System; at: string }): ReactNode {
  const isLate = isSignedLate(system);
  return (
    <Mark tone={isLate ? 'warn' : 'good'}>
      <span>
        <Ago at={at} />
        {isLate && ', entries wait for the next one'}
      </span>
    </Mark>
  );
}

const growth = (bytesPerDay: number | null): string =>
  bytesPerDay === null || bytesPerDay <= 0 ? '' : `, ${bytesText(bytesPerDay)} more a day`;
