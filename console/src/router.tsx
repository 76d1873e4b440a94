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
import { NoSuchScreen } from './shell/screen-gate.js';
import { Shell } from './shell/shell.js';
import { Failure, Loading } from './ui/messages.js';

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
  pendingComponent: Shell,
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

const screen = (path: string, load: Loader, name: string) =>
  createRoute({
    getParentRoute: () => shellRoute,
    path,
    component: lazyRouteComponent(afterOutage(load), name),
  });

const screens = [
  screen('/', () => import('./screens/overview/overview.js'), 'Overview'),
  screen('/devices', () => import('./screens/devices/devices.js'), 'Devices'),
  screen('/devices/$ref', () => import('./screens/device/device.js'), 'DeviceScreen'),
  screen('/monitoring', () => import('./screens/monitoring/monitoring.js'), 'Monitoring'),
  screen('/configuration', () => import('./screens/observed/configuration.js'), 'Configuration'),
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
  screen('/access', () => import('./screens/access/access.js'), 'Access'),
  screen('/system', () => import('./screens/system/system.js'), 'SystemScreen'),
];

const noSuchScreen = createRoute({ getParentRoute: () => shellRoute, path: '$', component: NoSuchScreen });

export const router = createRouter({
  routeTree: rootRoute.addChildren([signInRoute, invitationRoute, shellRoute.addChildren([...screens, noSuchScreen])]),
  basepath: ownPath('/console'),
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
  defaultPreload: 'intent',
  defaultPendingComponent: () => (
    <div className="page">
      <Loading />
    </div>
  ),
});
