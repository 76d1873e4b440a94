import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';
import { WaysToAdd, WithoutRouters } from '../devices/adding/ways-to-add.js';
import { FirstDays } from './first-days.js';
import css from './welcome.module.css';

/** The overview of an installation without devices: what it does with the first one, how it is added, and what follows. */
export function Welcome(): ReactNode {
  return (
    <Page title="Welcome to Fleetgate">
      <p className={css.lead}>
        Add your first router. Fleetgate then checks at short intervals whether it answers, and reads its model,
        firmware and signal. It can back it up, update it and change its settings, for one router and for thousands
        alike.
      </p>
      <div className={css.beside}>
        <div className="stack">
          <WaysToAdd />
          <WithoutRouters />
        </div>
        <FirstDays devices={0} isOpen />
      </div>
    </Page>
  );
}
