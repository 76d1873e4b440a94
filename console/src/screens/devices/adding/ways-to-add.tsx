import { type ReactNode } from 'react';
import { useMay } from '../../../api/may.js';
import { Icon, type IconName } from '../../../ui/icons.js';
import { Notice } from '../../../ui/messages.js';
import { To } from '../../../ui/to.js';
import css from './ways-to-add.module.css';

interface Way {
  readonly add: 'one' | 'import' | 'search';
  readonly icon: IconName;
  readonly title: string;
  readonly about: string;
  readonly needs: string;
  readonly gives: string;
  readonly button: string;
}

const WAYS: readonly Way[] = [
  {
    add: 'one',
    icon: 'router',
    title: 'One router',
    about: 'The quickest way to see what Fleetgate does.',
    needs: 'its IP address or host name, and a login on it',
    gives: 'whether it answers, its model, serial number and firmware at once',
    button: 'Add one router',
  },
  {
    add: 'import',
    icon: 'upload',
    title: 'A file',
    about: 'For a fleet that is listed somewhere already.',
    needs: 'a CSV file with a line for each router',
    gives: 'a check line by line first, which changes nothing',
    button: 'Import a file',
  },
  {
    add: 'search',
    icon: 'search',
    title: 'A search of networks',
    about: 'Where no list is at hand.',
    needs: 'a network that the gateway reaches, such as 192.0.2.0/24',
    gives: 'the routers that answer, and you choose; no login is sent unless you give one',
    button: 'Search networks',
  },
];

/** The three ways to register devices, each with what it needs and gives; its button opens the form. */
export function WaysToAdd(): ReactNode {
  const mayAdd = useMay('device.manage');
  if (!mayAdd)
    return (
      <Notice>
        <strong>You may not add devices.</strong>
        An administrator adds them, or gives you a role that may.
      </Notice>
    );
  return (
    <div className={css.ways}>
      <ul aria-label="Ways to add devices">
        {WAYS.map(({ add, icon, title, about, needs, gives, button }, at) => (
          <li key={add} className="card">
            <Icon name={icon} size={20} />
            <h2>{title}</h2>
            <p className="quiet">{about}</p>
            <dl className="small">
              <dt>Needs</dt>
              <dd>{needs}</dd>
              <dt>Gives</dt>
              <dd>{gives}</dd>
            </dl>
            <div className={css.action}>
              <To to="/devices" search={{ add }} className="button" {...(at === 0 ? { 'data-kind': 'primary' } : {})}>
                {button}
              </To>
            </div>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** For those who have no router at hand. */
export function WithoutRouters(): ReactNode {
  return (
    <p className="small quiet">
      No router at hand? <code>npm run demo</code>, in a copy of the sources, starts a gateway of its own with 25
      simulated routers.
    </p>
  );
}
