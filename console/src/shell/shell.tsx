import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { followLive } from '../api/live.js';
import { isOutage, useOutage } from '../api/outage.js';
import { selfQuery } from '../api/queries.js';
import { useEndedSession } from '../api/session-end.js';
import { type SearchText } from '../ui/to.js';
import { Button } from '../ui/button.js';
import { Icon } from '../ui/icons.js';
import { LeaveQuestion } from '../ui/leaving/leave-question.js';
import { Empty, Failure, Loading } from '../ui/messages.js';
import { AccountMenu } from './account-menu.js';
import { FreezeButton, FrozenBanner } from './frozen.js';
import { HelpMenu, MarkHelp } from './help-menu.js';
import { KeyHelp, useKeys } from './keys.js';
import { LiveBadge } from './live-badge.js';
import { mayOpen, SCREENS } from './navigation.js';
import { MenuCount } from './menu-counts.js';
import { OutageBanner } from './outage-banner.js';
import { Palette } from './palette/palette.js';
import { ScreenGate } from './screen-gate.js';
import { useScrollPlace } from './scroll-place.js';
import { AwaitedCards } from '../ui/rows/awaited.js';

const SignInAgain = lazy(async () => ({ default: (await import('../screens/sign-in/sign-in-again.js')).SignInAgain }));

type Opened = 'palette' | 'keys' | 'marks';

/** The frame, while it is not known yet whether there is a session. */
export const EnteringShell = (): ReactNode => <Shell isEntering />;

/** The frame of all screens for a signed-in person. */
export function Shell({ isEntering = false }: { isEntering?: boolean }): ReactNode {
  const [opened, setOpened] = useState<{ what: Opened; at: string } | null>(null);
  const [menuAt, setMenuAt] = useState<string | null>(null);
  const navigate = useNavigate();
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname });
  // Another screen closes them, and a way back does not open them again.
  if (menuAt !== null && menuAt !== path) setMenuAt(null);
  if (opened !== null && opened.at !== path) setOpened(null);
  const isMenuOpen = menuAt === path;
  const open = opened?.at === path ? opened.what : null;
  const setOpen = (what: Opened | null) => setOpened(what && { what, at: path });
  const ended = useEndedSession();
  const content = useRef<HTMLElement>(null);
  useScrollPlace(content);
  const outage = useOutage();
  const { data: self } = useQuery(selfQuery);
  const isSignedIn = self !== undefined;
  useEffect(() => {
    if (!isSignedIn) return undefined;
    const stop = new AbortController();
    void followLive(stop.signal);
    return () => stop.abort();
  }, [isSignedIn]);
  useKeys({
    palette: () => setOpen('palette'),
    help: () => setOpen('keys'),
    go: (to) => void navigate({ to }),
    search: () => document.querySelector<HTMLElement>('main input[type="search"]')?.focus(),
  });
  return (
    <div className="shell" data-menu={isMenuOpen ? 'open' : 'closed'} data-entering={isEntering || undefined}>
      <a className="skip-link" href="#content">
        Go to the content
      </a>
      <header className="topbar">
        <button
          type="button"
          className="button icon-button menu-button"
          data-kind="quiet"
          aria-label="Menu"
          aria-expanded={isMenuOpen}
          onClick={() => setMenuAt(isMenuOpen ? null : path)}
        >
          <Icon name="menu" />
        </button>
        <Link to="/" className="brand" aria-label="Fleetgate, overview">
          <Logo />
          <span>Fleetgate</span>
        </Link>
        <Button
          className="button search-opener"
          title="Go to a device, a screen or an action"
          onClick={() => setOpen('palette')}
        >
          <span className="row">
            <Icon name="search" />
            Go to …
          </span>
          <kbd>Ctrl K</kbd>
        </Button>
        <span className="space" />
        <FreezeButton />
        {!outage && <LiveBadge />}
        <HelpMenu onKeys={() => setOpen('keys')} onMarks={() => setOpen('marks')} />
        <AccountMenu />
      </header>
      <div className="banners">
        <FrozenBanner />
        {outage && <OutageBanner outage={outage} />}
      </div>
      <Menu permissions={self?.permissions} />
      <main ref={content} id="content" className="content" tabIndex={-1}>
        {self ? <Screen permissions={self.permissions} /> : <BeforeFirstAnswer />}
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(null)} />}
      {open === 'keys' && <KeyHelp onClose={() => setOpen(null)} />}
      {open === 'marks' && <MarkHelp onClose={() => setOpen(null)} />}
      <LeaveQuestion />
      <Suspense>{ended && <SignInAgain ended={ended} />}</Suspense>
    </div>
  );
}

/** The screens that the person may open; before that is known, all. */
function Menu({ permissions }: { permissions: readonly string[] | undefined }): ReactNode {
  // The own account has an address of the access, and is no part of it.
  const isOwn = useRouterState({ select: ({ location: { search } }) => (search as SearchText)['tab'] === 'account' });
  return (
    <nav className="sidebar" aria-label="Screens">
      {SCREENS.map(([group, screens]) => {
        const shown = screens.filter((screen) => permissions === undefined || mayOpen(screen, permissions));
        if (shown.length === 0) return null;
        return (
          <div key={group}>
            <h2>{group}</h2>
            {shown.map(({ to, title, icon }) => (
              <Link
                key={to}
                to={to}
                activeOptions={{ exact: to === '/', includeSearch: false }}
                data-own={(isOwn && to === '/access') || undefined}
              >
                <Icon name={icon} />
                {title}
                <MenuCount to={to} />
              </Link>
            ))}
          </div>
        );
      })}
    </nav>
  );
}

function Screen({ permissions }: { permissions: readonly string[] }): ReactNode {
  // Of the screen that is shown: the address is that of the next one while its script loads.
  const path = useRouterState({ select: ({ matches }) => matches.at(-1)?.pathname ?? '/' });
  return (
    <Suspense
      fallback={
        <div className="page">
          <AwaitedCards />
        </div>
      }
    >
      <ScreenGate path={path} permissions={permissions}>
        <Outlet />
      </ScreenGate>
    </Suspense>
  );
}

/** Where it is not known yet who is signed in. */
function BeforeFirstAnswer(): ReactNode {
  const { error, refetch } = useQuery(selfQuery);
  return (
    <div className="page">
      {!error && <Loading />}
      {error && isOutage(error) && (
        <Empty title="Nothing could be read yet">This screen opens by itself as soon as the gateway answers.</Empty>
      )}
      {error && !isOutage(error) && <Failure error={error} onRetry={() => void refetch()} />}
    </div>
  );
}

export function Logo(): ReactNode {
  return (
    <svg width="22" height="22" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="currentColor" />
      <path
        d="M8 23V11a3 3 0 0 1 3-3h10a3 3 0 0 1 3 3v12M8 16h16M16 8v15"
        fill="none"
        stroke="var(--surface)"
        strokeWidth="2.4"
        strokeLinecap="round"
      />
    </svg>
  );
}
