import { type ReactNode } from 'react';
import { bytesText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';

type Storage = Schema<'System'>['storage'];

/** Less free space than this is told before the database stops for want of it. */
const LITTLE_BYTES = 2_000_000_000;

/** How much is stored, how fast that grows, and when the disk is full. */
export function Disk({ storage: { database, disk, items } }: { storage: Storage }): ReactNode {
  const largest = items[0];
  return (
    <Card title="Disk">
      <Facts
        of={[
          [
            'Free',
            disk && (
              <Mark key="free" tone={disk.freeBytes < LITTLE_BYTES ? 'warn' : 'good'}>
                {bytesText(disk.freeBytes)}
              </Mark>
            ),
          ],
          ['Full', disk?.fullAt ? <Ago key="full" at={disk.fullAt} /> : 'not in sight'],
          ['Database', `${bytesText(database.bytes)}${growth(database.bytesPerDay)}`],
          ['Largest', largest && `${largest.name.replaceAll('_', ' ')}, ${bytesText(largest.bytes)}`],
        ]}
      />
    </Card>
  );
}

const growth = (bytesPerDay: number | null): string =>
  bytesPerDay === null || bytesPerDay <= 0 ? '' : `, ${bytesText(bytesPerDay)} more a day`;
