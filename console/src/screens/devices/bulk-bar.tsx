import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { numberText } from '../../api/amount-text.js';
import { selfQuery } from '../../api/queries.js';
import { Button, IconButton } from '../../ui/button.js';
import { type IconName } from '../../ui/icons.js';
import { RowMenu } from '../../ui/row-menu.js';
import { useNarrow } from '../../ui/rows/narrow.js';
import { useGo } from '../../ui/to.js';
import { ExportDevices } from './bulk-export.js';
import { LockDevices } from './bulk-lock.js';
import { RemoveDevices } from './bulk-remove.js';
import { TagDevices } from './bulk-tags.js';
import styles from './devices.module.css';
import { MuteForm } from '../monitoring/mute-form.js';
import { type Choice, IDS_MAX } from './use-choice.js';

interface BarAction {
  readonly text: string;
  readonly icon?: IconName;
  readonly isDanger?: boolean;
  readonly onSelect: () => void;
}

/** What can be done with the chosen devices. Each action shows them again before it begins. */
export function BulkBar({ choice }: { choice: Choice }): ReactNode {
  const { count, without, selector, clear } = choice;
  const [open, setOpen] = useState<'tags' | 'lock' | 'mute' | 'export' | 'remove' | null>(null);
  const go = useGo();
  const { data: self } = useQuery(selfQuery);
  const may = (permission: string) => self?.permissions.includes(permission) ?? false;
  const close = () => setOpen(null);
  const isNarrow = useNarrow();
  const actions: readonly (BarAction | false)[] = [
    { text: 'Bulk query', icon: 'share', onSelect: () => selector !== null && go('/fan-outs/new', { selector }) },
    may('device.manage') && { text: 'Tag', onSelect: () => setOpen('tags') },
    may('lock.manage') && { text: 'Lock', icon: 'lock', onSelect: () => setOpen('lock') },
    may('monitoring.manage') && { text: 'Mute', onSelect: () => setOpen('mute') },
    { text: 'Export', onSelect: () => setOpen('export') },
    may('device.manage') && { text: 'Remove', isDanger: true, onSelect: () => setOpen('remove') },
  ];
  const more = actions.filter((action) => action !== false);
  return (
    <div className={styles['bulk-bar']} role="toolbar" aria-label="Actions on the chosen devices">
      <strong>
        {count.toLocaleString('en')} chosen{without > 0 && `, without ${without.toLocaleString('en')}`}
      </strong>
      {selector === null ? (
        <span className="small">
          More than {numberText(IDS_MAX)} rows chosen or left out one by one, or devices that a search found, are no
          selector. Filter with the selector or the facets, then choose all.
        </span>
      ) : (
        <>
          {may('rollout.manage') && (
            <>
              <Button
                icon="list"
                title="One job on each device, such as a backup"
                onClick={() => go('/rollouts/new', { selector, kind: 'backup' })}
              >
                Job
              </Button>
              <Button
                icon="rocket"
                title="Firmware or another change, in waves"
                onClick={() => go('/rollouts/new', { selector })}
              >
                Rollout
              </Button>
            </>
          )}
          {isNarrow ? (
            <RowMenu of="the chosen devices" actions={more} />
          ) : (
            more.map(({ text, icon, isDanger, onSelect }) => (
              <Button key={text} {...(icon ? { icon } : {})} kind={isDanger ? 'danger' : 'plain'} onClick={onSelect}>
                {text}
              </Button>
            ))
          )}
        </>
      )}
      <IconButton icon="close" label="Choose none" onClick={clear} />
      {open === 'tags' && selector !== null && <TagDevices selector={selector} onClose={close} />}
      {open === 'lock' && selector !== null && <LockDevices selector={selector} onClose={close} />}
      {open === 'mute' && selector !== null && <MuteForm alert={null} of={selector} onClose={close} />}
      {open === 'export' && selector !== null && <ExportDevices selector={selector} onClose={close} />}
      {open === 'remove' && selector !== null && <RemoveDevices selector={selector} onDone={clear} onClose={close} />}
    </div>
  );
}
