import { type ReactNode } from 'react';
import { readable } from '../../../../src/device-api/words/readable.js';
import { bytesText, countText } from '../../api/amount-text.js';
import { type Schema } from '../../api/client.js';
import { Mark } from '../../ui/mark.js';
import { Card, Facts } from '../../ui/page.js';
import { Ago } from '../../ui/time.js';
import { To } from '../../ui/to.js';
import { isSignedLate } from './signing.js';

type System = Schema<'System'>;

/** Tables and files by what people call what is in them. */
const NAMES: Readonly<Record<string, string>> = {
  device_sample_history: 'Measurements',
  audit_entry: 'Audit',
  merkle_leaf: 'Audit',
  device_history: 'History of devices',
  artifacts: 'Files and backups',
};

const sizeText = ({ name, bytes }: System['storage']['items'][number]): string =>
  `${NAMES[name] ?? readable(name)}, ${bytesText(bytes)}`;

/** Where things are stored, how much that is, and whether the audit is signed in time. */
export function Stores({ system }: { system: System }): ReactNode {
  const { database, queue, storage, audit, version } = system;
  const table = storage.items.find(({ kind }) => kind === 'table');
  const files = storage.items.filter(({ kind, bytes }) => kind === 'files' && bytes > 0);
  const place = database.embedded ? 'embedded' : 'a server of its own';
  return (
    <Card title="Stores">
      <Facts
        of={[
          ['Database', `Postgres ${database.version}, ${place}`],
          ['Largest table', table && sizeText(table)],
          ['Files beside it', files.map(sizeText).join('; ') || 'none'],
          ['Queue', queue === 'redis' ? 'Redis' : 'Postgres; Redis is not configured (REDIS_URL)'],
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
          ['Version', version],
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
