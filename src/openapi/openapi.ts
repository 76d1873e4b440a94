import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type FastifyInstance } from 'fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { sessionCookieName } from '../auth/access/session-cookie.js';
import { serveDocuments } from './documents.js';
import { JOB_KINDS } from '../jobs/kinds/index.js';
import { specNameOf } from '../jobs/spec-schemas.js';
import {
  addExamples,
  declaredEndpoints,
  describeContents,
  operationIdOf,
  problemExamples,
  type Operation,
} from './openapi-contents.js';
import { Examples } from './openapi-examples.js';
import { shareParts } from './openapi-shared.js';
import { convert, nameSchemas, type Json } from './openapi-schemas.js';
import { problemView, type EndpointInfo } from '../http/endpoint.js';
import { ownPrefix } from '../platform/addresses/own-address.js';
import { CONFIG, type GatewayConfig, VERSION } from '../platform/config.js';
import { describePassthrough } from './describe-passthrough.js';
import { scriptNonce } from './script-nonce.js';

const about = (prefix: string): string => `Fleetgate is a gateway between operators and fleets of network routers.

Every route needs \`Authorization: Bearer <API key>\` or the cookie of a session, except those marked otherwise. Errors are
\`application/problem+json\` (RFC 9457) with a stable \`code\`; [docs/errors](${prefix}/docs/errors) describes each code.
\`x-permission\` names the permission of an operation, \`x-audit-action\` its action in the audit.`;

/** The groups of operations in reading order; each controller names its own. */
const GROUPS: Readonly<Record<string, string>> = {
  'Sign-in': 'Passwords, second factors, OpenID providers, sessions',
  'Operators and keys': 'The first administrator, people, programs and their API keys',
  'Roles and rights': 'What operators may do, and which rule decides',
  Approvals: 'The consent of a second person to one large request',
  Locks: 'What stops operators, devices or all writes',
  Devices: 'The registry of devices',
  'Custom fields': 'Fields of devices that administrators define',
  Discovery: 'Searches of networks for devices that are not in the registry',
  'Import and export': 'Many devices from and to a file, and removal of many',
  Selectors: 'Saved selectors: named sets of devices',
  Passthrough: 'The API of one device, through the gateway',
  Façade: 'The same, for clients that were written for the device itself',
  'Fan-out': 'One call to many devices',
  Jobs: 'Long operations on one device, with a verified result',
  'Sealed values': 'Secrets that jobs use, and that no answer shows',
  Monitoring: 'Samples of devices, what they cost, and their latest values',
  Alerts: 'Rules that say which devices need attention, and the devices that do',
  Artifacts: 'Bytes that jobs make or use: backups, firmware images',
  Backups: 'Policies, coverage and comparison of backups',
  Certificates: 'The certificates of the fleet',
  Rollouts: 'One change for many devices, in waves',
  Schedules: 'Rollouts that start repeatedly',
  Watches: 'What the configuration of the fleet is, who has the same, and what changed',
  Templates: 'What devices should be set to: drafts, plans and published versions',
  Events: 'Events as a stream',
  Webhooks: 'Events, sent to other systems',
  Audit: 'Who did what to what, and its proof',
  Secrets: 'Rotation of the keys that seal stored secrets',
  Installation: 'The state of the gateway itself, and its warnings',
  Service: 'For load balancers and Prometheus',
};

/**
 * Builds the OpenAPI 3.1 document from the schemas that also validate.
 * @param own where the gateway is; absent: nothing is known
 */
export function buildDocument(app: NestFastifyApplication, own: Pick<GatewayConfig, 'PUBLIC_URL'> = {}): OpenAPIObject {
  const prefix = ownPrefix(own);
  const shell = new DocumentBuilder()
    .setTitle('Fleetgate')
    .setDescription(about(prefix))
    .setVersion(VERSION)
    .setOpenAPIVersion('3.1.0')
    .setLicense('MIT', 'https://spdx.org/licenses/MIT.html')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, `fg_…`' }, 'apiKey')
    .addCookieAuth(
      sessionCookieName(own),
      { type: 'apiKey', in: 'cookie', description: 'The cookie that POST /v1/login sets' },
      'session',
    )
    .addSecurityRequirements('apiKey')
    .addSecurityRequirements('session')
    .build();
  const document = SwaggerModule.createDocument(app, shell, {
    operationIdFactory: operationIdOf,
    autoTagControllers: false,
    standardSchemaConverter: (schema, { schemaType }) =>
      schema instanceof z.core.$ZodType ? convert(schema, schemaType === 'input' ? 'input' : 'output') : undefined,
  });
  const schemas = { ...document.components?.schemas, ...convert(problemView, 'output').components };
  for (const kind of JOB_KINDS.values()) {
    const { schema, components } = convert(kind.spec, 'input');
    Object.assign(schemas, components, { [specNameOf(kind.name)]: schema });
  }
  document.components = { ...document.components, schemas };
  document.paths = { ...document.paths, ...describePassthrough() };
  document.components.examples = problemExamples(document);
  if (prefix !== '') document.servers = [{ url: prefix }]; // a proxy or the listener itself: the host is the one of the reader
  document.tags = Object.entries(GROUPS).map(([name, description]) => ({ name, description }));
  finishOperations(document, declaredEndpoints(app));
  const named = nameSchemas(document);
  const examples = new Examples(named.components!.schemas as Record<string, Json>);
  for (const [, operation] of operationsOf(named)) addExamples(operation, examples);
  shareParts(named);
  return named;
}

function* operationsOf({ paths }: OpenAPIObject): Generator<[{ path: string; method: string }, Operation]> {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      if (typeof operation === 'object' && operation !== null && !Array.isArray(operation)) {
        yield [{ path, method }, operation];
      }
    }
  }
}

/** Gives each operation what its route declares, and takes the key from those that want none. */
function finishOperations(document: OpenAPIObject, endpoints: ReadonlyMap<string, EndpointInfo>): void {
  for (const [{ method }, operation] of operationsOf(document)) {
    if (operation['x-permission'] === 'anonymous') operation.security = [];
    // Nest names the rest of a path `{path}`, and its parameter `*`.
    if (operation.parameters) {
      operation.parameters = operation.parameters.map((one) => (one.name === '*' ? { ...one, name: 'path' } : one));
    }
    const info = endpoints.get(operation.operationId ?? '');
    if (info) describeContents(operation, info, document);
    describeHeaders(method, operation);
  }
}

const CHANGING: ReadonlySet<string> = new Set(['post', 'put', 'patch', 'delete']);

/** Headers that follow from what an operation declares; handlers do not name them one by one. */
function describeHeaders(method: string, operation: Operation): void {
  const header = (name: string, description: string, required = false) => {
    const others = (operation.parameters ?? []).filter((one) => one.name.toLowerCase() !== name.toLowerCase());
    operation.parameters = [...others, { name, in: 'header', required, description, schema: { type: 'string' } }];
  };
  if (operation['x-etag']) {
    const headers = { ETag: { description: 'The version of the resource', schema: { type: 'string' } } };
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      if (status.startsWith('2') && status !== '204') response.headers = { ...response.headers, ...headers };
    }
    if (method === 'get') {
      header('If-None-Match', 'ETags that the caller has; `*` for any');
      operation.responses!['304'] = {
        description: 'The resource has one of these ETags; the answer has no body',
        headers,
      };
    }
    if (CHANGING.has(method) && method !== 'post') header('If-Match', 'The ETag that the resource must still have');
  }
  if (!CHANGING.has(method) || operation['x-only-reads'] === true) return;
  header('X-Change-Reason', 'The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory');
  const replay = operation['x-idempotency'] ?? '';
  if (!replay.startsWith('no: ')) {
    const text =
      'A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. ';
    const same =
      'The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it';
    header('Idempotency-Key', text + same, replay === 'required');
  }
}

const DOCS = /^\/(?:docs|openapi\.json)(?:[/?]|$)/;

/** The pages have a script and styles of their own, and connect to nothing; the field that searches them asks this gateway. */
const docsPolicy = (scripts: string): string =>
  `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src 'self'; font-src 'self'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Serves the documents (`documents.ts`), with a policy for their pages: they run only scripts with the nonce of the answer. */
export function serveDocument(app: NestFastifyApplication): void {
  const server: FastifyInstance = app.getHttpAdapter().getInstance();
  const config = app.get<GatewayConfig>(CONFIG);
  serveDocuments(server, ownPrefix(config), () => buildDocument(app, config));
  server.addHook('onSend', (request, reply, payload, done) => {
    if (!DOCS.test(request.url)) return done(null, payload);
    const { nonce, sources } = scriptNonce();
    void reply.header('content-security-policy', docsPolicy(sources));
    const isPage = typeof payload === 'string' && String(reply.getHeader('content-type')).startsWith('text/html');
    done(null, isPage ? payload.replaceAll('<script', `<script nonce="${nonce}"`) : payload);
  });
}
