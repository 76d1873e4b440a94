import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useMay } from '../api/may.js';
import { IconButton } from '../ui/button.js';
import { Icon } from '../ui/icons.js';
import { Ago } from '../ui/time.js';
import { To } from '../ui/to.js';
import { useFrozen } from './use-frozen.js';
import css from './frozen.module.css';

const Freeze = lazy(async () => ({ default: (await import('../screens/access/freeze.js')).Freeze }));

/** Says on every screen that all writes are frozen, by whom, why and until when. */
export function FrozenBanner(): ReactNode {
  const frozen = useFrozen();
  const mayLift = useMay('lock.manage');
  if (!frozen) return null;
  const { by, reason, until } = frozen;
  return (
    <div className={css.banner} role="status">
      <Icon name="lock" />
      <strong>Writes frozen</strong>
      <span className="foreign cut" title={reason}>
        by {by}: {reason}
      </span>
      <span className={css.end}>
        {until ? (
          <>
            ends <Ago at={until} />
          </>
        ) : (
          'until it is lifted'
        )}
      </span>
      <To to="/access" search={{ tab: 'locks' }}>
        {mayLift ? 'Lift it' : 'Locks'}
      </To>
    </div>
  );
}

/** Freezes from any screen. */
export function FreezeButton(): ReactNode {
  const frozen = useFrozen();
  const may = useMay('lock.manage');
  const [isOpen, setOpen] = useState(false);
  if (!may || frozen) return null;
  return (
    <>
      <IconButton icon="lock" label="Freeze writes" onClick={() => setOpen(true)} />
      {isOpen && (
        <Suspense>
          <Freeze onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
