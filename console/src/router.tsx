import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { ownPath } from './api/own-path.js';
import { outageOver } from './api/outage.js';
import { queries, selfQuery } from './api/queries.js';
import { forgetSession, isSessionEnded } from './api/session-end.js';
import { loadDevice, loadTab } from './screens/device/device-queries.js';
import { loadOverview } from './screens/overview/overview-queries.js';
import { ScreenFailed } from './shell/screen-failed.js';
import { NoSuchScreen } from './shell/screen-gate.js';
import { EnteringShell, Shell } from './shell/shell.js';
import { Toasts } from './shell/toasts.js';
import { Failure } from './ui/messages.js';
import { AwaitedCards } from './ui/rows/awaited.js';

/* All screens by their addresses. Each is a chunk of its own, loaded when it is opened. */

/** A screen's state is plain text in its address. The router asks before it leaves out what is undefined. */
const readSearch = (search: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );

const rootRoute = createRootRoute({
  component: Outlet,
  validateSearch: readSearch,
  errorComponent: ({ error, reset }) => (
    <div className="page">
      <Failure error={error} onRetry={reset} />
    </div>
  ),
});

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('./screens/sign-in/sign-in.js'), 'SignIn'),
});

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./screens/sign-in/invitation.js'), 'AcceptInvitation'),
});

/** Screens for a signed-in person; others are sent to the sign-in and back. */
const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    try {
      await queries.ensureQueryData(selfQuery);
    } catch (error) {
      if (isSessionEnded(error)) {
        const search = { next: location.href, ended: forgetSession() ? 'yes' : undefined };
        throw redirect({ to: '/sign-in', search });
      }
      // The shell says what is wrong.
    }
  },
  pendingComponent: EnteringShell,
  pendingMs: 300,
  pendingMinMs: 0,
});

type Loader = Parameters<typeof lazyRouteComponent>[0];

/** The scripts of a screen that is opened during an outage are loaded after it. A gateway that answers has other ones: a new release. */
const afterOutage = (load: Loader) => () =>
  load().catch(async (error: unknown) => {
    const isAnswered = await queries.fetchQuery({ ...selfQuery, staleTime: 0 }).then(
      () => true,
      () => false,
    );
    if (isAnswered) throw error;
    await outageOver();
    return load();
  });

/** What a screen reads first, and the scripts of its parts. */
interface First {
  /** Starts the requests that the person may make. */
  readonly read: (at: Address, permissions: readonly string[]) => void;
  readonly scripts?: (at: Address) => void;
}

interface Address {
  readonly params: Readonly<Record<string, string>>;
  readonly search: Readonly<Record<string, string>>;
}

const loaders = new Map<string, { load: Loader; first: First | undefined }>();

const screen = (path: string, load: Loader, name: string, first?: First) => {
  loaders.set(path, { load, first });
  return createRoute({
    getParentRoute: () => shellRoute,
    path,
    component: lazyRouteComponent(afterOutage(load), name),
    errorComponent: ScreenFailed,
    // Not awaited: the screen shows what is not there yet. A link that is only pointed at reads nothing.
    loader: ({ cause, params, location }) => {
      const at = { params: params as Address['params'], search: readSearch(location.search) };
      first?.scripts?.(at);
      if (cause !== 'enter') return;
      const self = queries.getQueryData(selfQuery.queryKey);
      if (self) first?.read(at, self.permissions);
    },
  });
};

const screens = [
  screen('/', () => import('./screens/overview/overview.js'), 'Overview', {
    read: (_at, permissions) => loadOverview(permissions),
  }),
  screen('/devices', () => import('./screens/devices/devices.js'), 'Devices'),
  screen('/devices/$ref', () => import('./screens/device/device.js'), 'DeviceScreen', {
    read: ({ params, search }, permissions) => loadDevice(params['ref'] ?? '', search['tab'], permissions),
    scripts: ({ search }) => loadTab(search['tab']),
  }),
  screen('/monitoring', () => import('./screens/monitoring/monitoring.js'), 'Monitoring'),
  screen('/monitoring/alerts/$alertId', () => import('./screens/monitoring/alert/alert.js'), 'AlertScreen'),
  screen('/configuration', () => import('./screens/observed/configuration.js'), 'Configuration'),
  screen('/templates', () => import('./screens/templates/template-list.js'), 'Templates'),
  screen('/templates/$templateName', () => import('./screens/templates/template.js'), 'TemplateScreen'),
  screen('/fan-outs', () => import('./screens/fan-outs/fan-out-list.js'), 'FanOuts'),
  screen('/fan-outs/new', () => import('./screens/fan-outs/new-fan-out.js'), 'NewFanOut'),
  screen('/fan-outs/$fanOutId', () => import('./screens/fan-outs/fan-out.js'), 'FanOutScreen'),
  screen('/rollouts', () => import('./screens/rollouts/rollout-list.js'), 'Rollouts'),
  screen('/rollouts/new', () => import('./screens/rollouts/new-rollout.js'), 'NewRollout'),
  screen('/rollouts/$rolloutId', () => import('./screens/rollouts/rollout.js'), 'RolloutScreen'),
  screen('/schedules', () => import('./screens/schedules/schedules.js'), 'Schedules'),
  screen('/jobs', () => import('./screens/jobs/job-list.js'), 'Jobs'),
  screen('/jobs/$jobId', () => import('./screens/jobs/job.js'), 'JobScreen'),
  screen('/backups', () => import('./screens/backups/backups.js'), 'Backups'),
  screen('/artifacts', () => import('./screens/artifacts/artifact-list.js'), 'Artifacts'),
  screen('/certificates', () => import('./screens/certificates/certificates.js'), 'Certificates'),
  screen('/audit', () => import('./screens/audit/audit.js'), 'Audit'),
  screen('/access/people/$operatorId', () => import('./screens/access/people/person.js'), 'PersonScreen'),
  screen('/access', () => import('./screens/access/access.js'), 'Access'),
  screen('/system', () => import('./screens/system/system.js'), 'SystemScreen'),
];

const noSuchScreen = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NoSuchScreen });

export const router = createRouter({
  routeTree: rootRoute.addChildren([signInRoute, invitationRoute, shellRoute.addChildren([...screens, noSuchScreen])]),
  basepath: ownPath('/console'),
  InnerWrap: ({ children }) => (
    <>
      {children}
      <Toasts />
    </>
  ),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0, // the queries have their own times
  defaultPendingComponent: () => (
    <div className="page">
      <AwaitedCards />
    </div>
  ),
});

/** Asks who is there and loads the scripts of the screen at once, side by side: the router would do one after the other. */
export function startEarly(): void {
  const { pathname, search } = router.parseLocation(router.history.location);
  const [, params, foundRoute] = router.getMatchedRoutes(pathname);
  const known = foundRoute && loaders.get(foundRoute.fullPath);
  if (!known) return; // the sign-in needs no person
  void queries.prefetchQuery(selfQuery);
  void known.load().catch(() => undefined); // the screen itself says so
  known.first?.scripts?.({ params, search: readSearch(search) });
}
