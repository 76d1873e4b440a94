import { Inject, Injectable } from '@nestjs/common';
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { ERROR_CODES, loginRequest, PATHS, REFUSALS, TOKEN_LIFETIME_S } from '../../device-api/contract.js';
import { parseJson } from '../../device-api/json-bytes.js';
import { Access } from '../../auth/access/access.js';
import { type Rights, type ScopedDevice } from '../../auth/rights/rights.js';
import { type Device } from '../../devices/registry/device.entity.js';
import { DEVICE_REF } from '../../selectors/device-ref.js';
import { AppError, ERRORS, type ErrorCode } from '../../platform/errors.js';
import { reportProblem } from '../../http/http-server.js';
import { toAppError } from '../../http/problem.js';
import { Secrets } from '../../secrets/secrets.js';
import { devicePath } from '../connections/device-path.js';
import { markRefusal, FORWARDED_METHODS, Passthrough, rawDevicePath } from './passthrough.js';
import { type EntryPoint } from './passthrough-request.js';
import { AllItemsRefused } from './rewritten-answer.js';
import { FacadeStatus } from './facade-status.js';
import { requestBody } from './request-body.js';

/*
 * `/d/{ref}/api/...`: a device as existing clients know it, with the gateway's rights and audit behind it. A client logs in
 * with an API key as the password and gets the key as its token, so no state is kept for it; everything else is the
 * passthrough. What the gateway refuses has the envelope and codes of the device, since that is what such a client reads.
 * Requests under the host name of a device (`proxy/passthrough/device-hosts.ts`) come in here too, with `host:<label>` as {ref}.
 */

const ROOT = '/d';
const PREFIX = `${ROOT}/`;
const HOST = 'host:';
const SERIAL = 'serial-';
const MAX_LOGIN_BYTES = 16 * 1024;

/** A new login on a real device reports just below its lifetime. */
const EXPIRES_S = TOKEN_LIFETIME_S - 1;

/** An identifier of a device has 24 digits. */
const IDENTIFIER_DIGITS = 24;
const IDENTIFIERS = 10n ** 24n;

/** A version that current clients know; the device's own is behind the login. */
const API_VERSION = '1.9.2';

/** Clients use the group to decide which functions they offer. */
function groupOf(rights: Rights, device: ScopedDevice): string {
  if (rights.allows({ action: 'operator.manage' })) return 'root';
  return rights.allows({ action: 'device.call_write', device }) ? 'admin' : 'user';
}

/** The device's status and code for errors of the gateway; other errors keep their status with code 117. */
const CODES: Partial<Record<ErrorCode, { status: number; code: number }>> = {
  unauthenticated: REFUSALS.missingToken.rutos,
  forbidden: REFUSALS.aclRefused.rutos,
  locked: REFUSALS.aclRefused.rutos,
  answer_withheld: REFUSALS.aclRefused.rutos,
  change_reason_required: REFUSALS.aclRefused.rutos,
  malformed_request: { status: 400, code: 122 },
  path_refused: { status: 400, code: 122 },
  redaction_marker: { status: 422, code: 103 },
  own_account: { status: 422, code: 103 },
  invalid_json: { status: 400, code: 122 },
  invalid_input: { status: 400, code: 122 },
  route_not_found: { status: 404, code: 122 },
  device_not_found: { status: 404, code: 122 },
  body_too_large: REFUSALS.bodyTooLarge.rutos,
};
const OTHER_CODE = 117;

@Injectable()
export class Facade {
  private readonly entryPoint: EntryPoint = {
    ...FACADE_ENTRY,
    onForward: ({ request, device }) => this.status.noteUse(nameOf(request), request.callerAddress, device.id),
  };

  constructor(
    @Inject(Access) private readonly access: Access,
    @Inject(Passthrough) private readonly passthrough: Passthrough,
    @Inject(Secrets) private readonly secrets: Pick<Secrets, 'keyedDigest'>,
    @Inject(FacadeStatus) private readonly status: FacadeStatus,
  ) {}

  /** Adds the routes, in a scope without body parsers. */
  register(server: FastifyInstance): void {
    const routes = (scope: FastifyInstance, _options: object, done: () => void) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
      scope.setErrorHandler(refuseAsDevice);
      scope.setNotFoundHandler((request, reply) => refuseAsDevice(new AppError('route_not_found'), request, reply));
      scope.route({
        method: FORWARDED_METHODS,
        url: '/:ref/api/*',
        config: { callsDevice: true, readsBody: true },
        exposeHeadRoute: false,
        bodyLimit: Number.MAX_SAFE_INTEGER,
        handler: (request, reply) => this.handle(request, reply),
      });
      done();
    };
    void server.register(routes, { prefix: ROOT });
  }

  private handle(request: FastifyRequest, reply: FastifyReply): void {
    const verdict = devicePath(rawDevicePath(request.raw.url ?? '', PREFIX));
    const own = verdict.ok ? OWN[`${request.method} ${verdict.path.authPath}`] : undefined;
    if (own) void this.answerItself(request, reply, own);
    else this.passthrough.answer(request, reply, this.entryPoint);
  }

  /**
   * What a device says of itself without a login. For a caller that may learn of no device, the answer depends on the name
   * in the address alone. Clients recognise a device by the identifier, so that never changes.
   * @throws AppError while the device is away
   */
  private async unauthorized(request: FastifyRequest): Promise<object> {
    const ref = nameOf(request);
    const device = await this.status.deviceOf(ref, request.callerAddress, () =>
      this.passthrough.resolve(deviceRefs(ref)),
    );
    const own = device && (await this.status.requirePresent(device));
    const identifier = BigInt(`0x${this.secrets.keyedDigest(`facade\0${ref}`).toString('hex')}`) % IDENTIFIERS;
    return {
      lang: 'en',
      device_name: ref.slice(ref.indexOf(':') + 1),
      device_model: own?.model ?? 'Fleetgate',
      api_version: own?.apiVersion ?? API_VERSION,
      device_identifier: identifier.toString().padStart(IDENTIFIER_DIGITS, '0'),
    };
  }

  private async answerItself(request: FastifyRequest, reply: FastifyReply, own: OwnRoute): Promise<void> {
    try {
      const data = await this.dataOf(request, own);
      answer(reply, 200, { success: true, data });
    } catch (error) {
      refuseAsDevice(error, request, reply);
    }
  }

  private dataOf(request: FastifyRequest, own: OwnRoute): Promise<object> {
    switch (own) {
      case 'unauthorized':
        return this.unauthorized(request);
      case 'login':
        return this.login(request);
      default:
        return this.session(request, own);
    }
  }

  /** A login with an API key as the password. */
  private async login(request: FastifyRequest): Promise<object> {
    const body = await requestBody(request.raw, { limitBytes: MAX_LOGIN_BYTES, bufferUpTo: MAX_LOGIN_BYTES });
    const read = loginRequest.safeParse(parsed(body));
    if (!read.success) throw new DeviceRefusal(REFUSALS.loginMalformed.rutos);
    const { username, password } = read.data;
    request.headers.authorization = `Bearer ${password}`;
    try {
      const { rights } = await this.access.authenticate(request);
      const device = await this.device(request, rights);
      await this.status.requirePresent(device);
      return { username, group: groupOf(rights, device), token: password, expires: EXPIRES_S };
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated')
        throw new DeviceRefusal(REFUSALS.loginFailed.rutos);
      throw error;
    }
  }

  /** The device of a client; one that it may not call counts as missing. */
  private async device(request: FastifyRequest, rights: Rights): Promise<Readonly<Device>> {
    const name = nameOf(request);
    const device = await this.passthrough.resolve(deviceRefs(name));
    rights.requireOnDevice({ action: 'device.call_read', device });
    this.status.noteUse(name, request.callerAddress, device.id);
    return device;
  }

  /** A client's session is its key, so it does not change. */
  private async session(request: FastifyRequest, own: 'logout' | 'status'): Promise<object> {
    const { rights } = await this.access.authenticate(request);
    const device = await this.device(request, rights);
    if (own === 'status') await this.status.requirePresent(device);
    return own === 'logout' ? { response: 'Logged out' } : { active: true };
  }
}

const FACADE_ENTRY: EntryPoint = {
  prefix: PREFIX,
  route: `${PREFIX}:ref/api/*`,
  refuse: refuseAsDevice,
  refsOf: deviceRefs,
  redaction: 'omit',
  answerRefusedItem: (error) => ({ success: false, errors: [deviceErrorOf(error)] }),
};

/**
 * The references that {ref} may mean: itself, or several for a label of a host name, which has lost its letter case.
 */
function deviceRefs(name: string): readonly string[] {
  if (!name.startsWith(HOST)) return [name];
  const label = name.slice(HOST.length);
  if (DEVICE_REF.test(label)) return [label];
  const byName = `name:${label}`;
  if (!label.startsWith(SERIAL)) return [byName];
  const serial = label.slice(SERIAL.length);
  return [`serial:${serial}`, `serial:${serial.toUpperCase()}`, byName];
}

const nameOf = (request: FastifyRequest): string => (request.params as { ref: string }).ref;

type OwnRoute = 'login' | 'logout' | 'status' | 'unauthorized';

/** The paths that the façade answers itself. */
const OWN: Readonly<Record<string, OwnRoute>> = {
  [`POST ${PATHS.login}`]: 'login',
  [`POST ${PATHS.logout}`]: 'logout',
  [`GET ${PATHS.sessionStatus}`]: 'status',
  [`GET ${PATHS.unauthorizedStatus}`]: 'unauthorized',
};

/** A refusal in the device's format. */
class DeviceRefusal extends Error {
  constructor(readonly refusal: { readonly status: number; readonly code: keyof typeof ERROR_CODES }) {
    super(ERROR_CODES[refusal.code].meaning);
  }
}

function refuseAsDevice(thrown: unknown, request: FastifyRequest, reply: FastifyReply): void {
  if (thrown instanceof DeviceRefusal) {
    const { status, code } = thrown.refusal;
    reportProblem('unauthenticated', request);
    markRefusal(new AppError('unauthenticated'), request, reply);
    refusal(reply, status, { code, error: thrown.message, source: 'authorization' });
    return;
  }
  if (thrown instanceof AllItemsRefused) {
    void reply.header('proxy-status', 'fleetgate');
    answer(reply, thrown.status, { success: true, data: thrown.items });
    return;
  }
  const error = toAppError(thrown);
  reportProblem(error.code, request);
  markRefusal(error, request, reply);
  const retryAfter = error.facts['retryAfterSeconds'];
  if (typeof retryAfter === 'number') void reply.header('retry-after', String(retryAfter));
  if (error.code === 'unauthenticated' && hasToken(request)) return refuseToken(reply);
  refusal(reply, CODES[error.code]?.status ?? error.status, deviceErrorOf(error));
}

/** A token that is no key: as the device answers a dead one, since clients renew their login after it. */
function refuseToken(reply: FastifyReply): void {
  const { status, code } = REFUSALS.deadToken.rutos;
  refusal(reply, status, {
    code,
    error: ERROR_CODES[code].meaning,
    source: 'fleetgate',
    section: 'unauthenticated',
  });
}

const hasToken = ({ headers }: FastifyRequest): boolean => /^bearer +\S/i.test(headers.authorization ?? '');

/** An error of the gateway as a device writes its own. */
function deviceErrorOf({ code }: AppError): object {
  return { code: CODES[code]?.code ?? OTHER_CODE, error: ERRORS[code].title, source: 'fleetgate', section: code };
}

function refusal(reply: FastifyReply, status: number, error: object): void {
  answer(reply, status, { success: false, errors: [error] });
}

/** Bytes, since a string gets a charset in its content type, which a device does not send. */
function answer(reply: FastifyReply, status: number, envelope: object): void {
  void reply
    .status(status)
    .header('content-type', 'application/json')
    .send(Buffer.from(JSON.stringify(envelope)));
}

function parsed(body: unknown): unknown {
  try {
    return Buffer.isBuffer(body) ? parseJson(body) : undefined;
  } catch {
    return undefined;
  }
}
