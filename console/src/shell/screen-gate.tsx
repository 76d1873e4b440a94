import { useLocation } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { permissionText } from '../../../src/api-client/permission-words.js';
import { Empty } from '../ui/messages.js';
import { Page } from '../ui/page.js';
import { To } from '../ui/to.js';
import { ALL_SCREENS, mayOpen } from './navigation.js';

interface ScreenGateProps {
  /** Below /console. */
  path: string;
  permissions: readonly string[];
  children: ReactNode;
}

/** A screen that a person may not read says which permission is missing and who gives it, in the place of refused lists. */
export function ScreenGate({ path, permissions, children }: ScreenGateProps): ReactNode {
  const screen = ALL_SCREENS.find(({ to }) => to !== '/' && (path === to || path.startsWith(`${to}/`)));
  if (!screen || mayOpen(screen, permissions)) return children;
  const missing = (screen.needs ?? []).map((one) => permissionText(one) ?? one).join(' or ');
  return (
    <Page title={screen.title}>
      <div className="card">
        <Empty
          title="You may not open this screen"
          action={
            <To to="/access" search={{ tab: 'account' }}>
              See what you may do
            </To>
          }
        >
          It needs the permission to {missing}. A person who may change roles can give it to you, such as an
          administrator.
        </Empty>
      </div>
    </Page>
  );
}

/** An address is outside text, and may be long. */
const PATH_MAX = 120;

/** An address below /console that is no screen. */
export function NoSuchScreen(): ReactNode {
  const { pathname } = useLocation();
  const shownPath = pathname.length > PATH_MAX ? `${pathname.slice(0, PATH_MAX)}…` : pathname;
  return (
    <Page title="There is no such screen">
      <div className="card">
        <Empty title="Nothing has this address" action={<To to="/">Overview</To>}>
          Nothing is at <code>{shownPath}</code>. It may have been removed, or the link is not complete. Choose a screen
          of the menu, or search with Ctrl K.
        </Empty>
      </div>
    </Page>
  );
}
