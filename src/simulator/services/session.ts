/* Login, logout, and what may be asked without a token. */
import { loginRequest, PATHS, sessionStatus, unauthorizedStatus } from '../../device-api/contract.js';
import type { Account } from '../device/accounts.js';
import type { SimulatedDevice } from '../device/device.js';
import { ok, refuse, DeviceRefusal, type SimulatedAnswer, type SimulatedRequest } from '../device/exchange.js';
import { apiVersionOf } from '../device/families.js';
import { dataOf, onGet, onPost, type Route } from '../http/route.js';
import { sectionsOf } from './sections.js';

/** Logins of one device run one after the other (observed-devices.md 2). */
const queues = new WeakMap<SimulatedDevice, Promise<void>>();

async function oneAfterTheOther(device: SimulatedDevice): Promise<void> {
  if (!device.setup.latencyMs) return;
  const turn = (queues.get(device) ?? Promise.resolve()).then(() =>
    device.clock.pause(device.random.integer(...device.behaviour.loginMs)),
  );
  queues.set(device, turn);
  await turn;
}

function accountFor(device: SimulatedDevice, request: SimulatedRequest): Account {
  const parsed = loginRequest.safeParse(request.body);
  const { profile } = device.behaviour;
  if (request.body === undefined) throw new DeviceRefusal(114, { source: 'login' });
  if (!parsed.success) throw refuse('loginMalformed', profile, 'login');
  const { username, password } = parsed.data;
  const account = device.accounts.find(username);
  // A blocked address gets the same answer for a correct password (observed-devices.md 2).
  if (!device.sessions.isBlocked(request.source) && account?.password === password) return account;
  device.sessions.failed(request.source);
  device.ledger.failedLogin(device.index);
  throw refuse('loginFailed', profile, 'login');
}

/** Firmware 7.03 to 7.06 puts the token beside `data`, and only there (observed-devices.md 1.2). */
function hasOlderLogin(device: SimulatedDevice): boolean {
  const [major, minor] = device.firmwareParts;
  return device.behaviour.loginGroup && major === 7 && minor >= 3 && minor <= 6;
}

async function login(device: SimulatedDevice, request: SimulatedRequest): Promise<SimulatedAnswer> {
  await oneAfterTheOther(device);
  const account = accountFor(device, request);
  device.sessions.succeeded(request.source);
  const session = device.sessions.begin(account.username);
  request.entry.session = session.label;
  device.did(request.entry, 'login', account.username);
  const expires = device.sessions.secondsLeft(session);
  if (hasOlderLogin(device)) {
    return ok({ username: account.username, expires }, { ubus_rpc_session: session.token });
  }
  const data = { username: account.username, token: session.token, expires };
  return ok(device.behaviour.loginGroup ? { ...data, group: account.group } : data);
}

/** 24 digits, as recorded: the serial number behind a number of the product. */
const identifierOf = ({ serial }: SimulatedDevice): string => serial.padStart(24, '90');

/** The text before the login, once it is switched on. */
function bannerOf(device: SimulatedDevice): object {
  const [banner] = device.family.has.banner
    ? sectionsOf(device, 'system/banner')
    : device.usedSections('system/banner');
  if (banner?.['enabled'] !== '1') return {};
  return { security_banner: { title: banner['title'] ?? '', message: banner['message'] ?? '' } };
}

function unauthorized(device: SimulatedDevice): SimulatedAnswer {
  const [major, minor] = device.firmwareParts;
  const since = (needed: number): boolean => major > 7 || (major === 7 && minor >= needed);
  const api_version = apiVersionOf(device.firmware.version);
  const base = { lang: 'en', device_name: device.shownName, api_version };
  // Devices of the API 1.0 say neither their model nor an identifier.
  if (!since(7)) return ok(base);
  return ok({
    ...base,
    ...(since(11) ? { device_model: device.model } : {}),
    device_identifier: identifierOf(device),
    ...bannerOf(device),
  });
}

function logout(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  device.sessions.end(request.session!.token);
  device.did(request.entry, 'logout');
  return ok({ response: 'Logged out' });
}

function firstPassword(device: SimulatedDevice, request: SimulatedRequest): SimulatedAnswer {
  const account = device.accounts.find(request.session!.username);
  if (!account?.mustChangePassword) throw new DeviceRefusal(102, { source: 'change_password_firstlogin' });
  if (request.body === undefined) throw new DeviceRefusal(114, { source: 'change_password_firstlogin' });
  device.accounts.firstPassword(account, dataOf(request));
  device.sessions.endAll();
  device.did(request.entry, 'update', PATHS.users);
  return ok(undefined);
}

export const SESSION_ROUTES: readonly Route[] = [
  onPost(PATHS.login, 'Begins a session', login, {
    open: true,
    body: loginRequest,
    codes: [114, 120, 121, 122],
    effect: 'login',
  }),
  onPost(PATHS.logout, 'Ends the session', logout, { profiles: ['rutos'], effect: 'logout' }),
  onGet(PATHS.sessionStatus, 'Whether the session lives', () => ok({ active: true }), {
    profiles: ['rutos'],
    answer: sessionStatus,
  }),
  onGet(PATHS.unauthorizedStatus, 'What the device says of itself without a login', unauthorized, {
    open: true,
    profiles: ['rutos'],
    answer: unauthorizedStatus,
  }),
  onPost(PATHS.firstPassword, 'Changes the factory password, the only way out of the first login', firstPassword, {
    codes: [102, 103, 114],
    effect: 'update',
  }),
];
