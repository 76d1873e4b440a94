/*
 * The OpenAPI 3.0 document that a device serves of itself, made from the same tables that answer: the routes and the declared
 * configuration services. What OpenAPI has no word for is in extensions whose names start with `x-` (specification, What the
 * service does 6).
 */
import { z } from 'zod';
import {
  ACTION_OF_METHOD,
  configurationInstance,
  ERROR_CODES,
  failure,
  success,
  type DeviceMethod,
} from '../../device-api/contract.js';
import { isDeprecated, isLater, type OptionRule, type ServiceDeclaration } from '../device/service-declaration.js';
import type { SimulatedDevice } from '../device/device.js';
import { apiVersionOf } from '../device/families.js';
import type { Route } from './route.js';

type Json = Record<string, unknown>;

const schemaOf = (schema: z.ZodType): Json =>
  z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' });
const json = (schema: Json): Json => ({ content: { 'application/json': { schema } } });

const ENVELOPE_BODY: Json = { type: 'object', properties: { data: {}, options: { type: 'object' }, actions: {} } };
/** Specification, Versioning 4. */
const DEPRECATED = { deprecated: true, description: 'DEPRECATED' };
const FAILURE = { $ref: '#/components/schemas/Failure' };

/** One document per profile and family: the devices of a kind share it. */
const documents = new Map<string, object>();

export function openApiDocument(
  device: SimulatedDevice,
  routes: readonly Route[],
  version: number | undefined,
): object {
  const key = `${device.behaviour.profile}/${device.model}/${device.firmware.version}/${device.declarations.size}/${version}`;
  let document = documents.get(key);
  if (!document) documents.set(key, (document = build(device, routes, version)));
  return document;
}

function build(device: SimulatedDevice, routes: readonly Route[], version: number | undefined): object {
  const { profile } = device.behaviour;
  const paths: Record<string, Json> = {};
  const add = (path: string, method: string, operation: Json): void => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  };
  for (const route of routes) {
    if (!(route.profiles?.includes(profile) ?? true)) continue;
    if (route.needs && !device.family.has[route.needs]) continue;
    add(route.path, route.method, operationOf(route, profile));
  }
  for (const declaration of device.declarations.values()) {
    if (declaration.needs && !device.family.has[declaration.needs]) continue;
    if (isLater(declaration, version)) continue;
    for (const [path, method, operation] of serviceOperations(declaration, profile, version))
      add(path, method, operation);
  }
  return {
    openapi: '3.0.3',
    info: { title: `Device Configuration Web API of ${device.model}`, version: apiVersionOf(device.firmware.version) },
    servers: [{ url: '/' }],
    security: [{ session: [] }],
    'x-profile': profile,
    ...(version === undefined ? {} : { 'x-api-version': version }),
    'x-firmware': device.firmware.version,
    'x-error-codes': Object.fromEntries(
      Object.entries(ERROR_CODES).map(([code, { meaning, status }]) => [code, { meaning, status: status[profile] }]),
    ),
    paths,
    components: {
      securitySchemes: { session: { type: 'http', scheme: 'bearer', 'x-lifetime-seconds': 300 } },
      schemas: { Failure: schemaOf(failure) },
    },
  };
}

function operationOf(route: Route, profile: SimulatedDevice['behaviour']['profile']): Json {
  const file = { type: 'object', required: ['file'], properties: { file: { type: 'string', format: 'binary' } } };
  const body = route.upload
    ? { required: true, content: { 'multipart/form-data': { schema: file } } }
    : route.method === 'GET'
      ? undefined
      : json(route.body ? schemaOf(route.body) : ENVELOPE_BODY);
  return {
    summary: route.summary,
    operationId: operationId(route.method, route.path),
    ...parametersOf(route.path, route.query),
    ...(body ? { requestBody: body } : {}),
    ...(route.open ? { security: [] } : {}),
    responses: responses(schemaOf(success(route.answer ?? z.unknown()))),
    ...extensions(route.method, route.codes ?? [], route.effect, profile),
  };
}

const CREATE_CODES = [103, 106, 107, 109, 110, 114, 115, 117];

const bodyOf = (data: Json): Json => json({ type: 'object', required: ['data'], properties: { data } });

const answerOf = (data: Json): Json => ({
  type: 'object',
  required: ['success', 'data'],
  properties: { success: { type: 'boolean' }, data },
});

function parametersOf(path: string, query: readonly string[] = []): Json {
  const schema = { type: 'string' };
  const parameters = [
    ...Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => ({ name, in: 'path', required: true, schema })),
    ...query.map((name) => ({ name, in: 'query', schema })),
  ];
  return parameters.length > 0 ? { parameters } : {};
}

function serviceOperations(
  declaration: ServiceDeclaration,
  profile: SimulatedDevice['behaviour']['profile'],
  version: number | undefined,
): [string, string, Json][] {
  const { path, kind, summary, creatable, deletable } = declaration;
  const base = kind === 'record' ? `/api/${path.replace(/\/global$/, '')}/global` : `/api/${path}/config`;
  const section: Json = {
    type: 'object',
    required: kind === 'record' ? [] : ['id'],
    properties: { id: { type: 'string' }, '.type': { type: 'string' }, ...properties(declaration.options, version) },
  };
  const operation = (
    method: DeviceMethod,
    at: string,
    what: string,
    data: Json,
    codes: number[],
    effect?: string,
  ): [string, string, Json] => [
    at,
    method,
    {
      summary: `${summary || path}: ${what}`,
      operationId: operationId(method, at),
      ...parametersOf(at),
      ...(method === 'POST' || method === 'PUT' ? { requestBody: bodyOf(section) } : {}),
      responses: responses(answerOf(data)),
      ...extensions(method, codes, effect, profile),
      'x-section-type': declaration.type,
      ...(isDeprecated(declaration, version) ? DEPRECATED : {}),
    },
  ];
  if (kind === 'record')
    return [
      operation('GET', base, 'the record', section, [104]),
      operation('PUT', base, 'change', section, [103, 107, 114, 115, 117], 'update'),
    ];
  const [one, list] = [`${base}/{id}`, { type: 'array', items: section }];
  const instance = schemaOf(configurationInstance);
  return [
    operation('GET', base, 'list', list, [104, 116]),
    ...(creatable ? [operation('POST', base, 'create', section, CREATE_CODES, 'create')] : []),
    operation('PUT', base, 'change several', list, [103, 107, 110, 113, 114, 115, 117], 'update'),
    ...(deletable ? [operation('DELETE', base, 'delete several', list, [105, 112, 113, 117], 'delete')] : []),
    operation('GET', one, 'read one', section, [104, 113]),
    operation('PUT', one, 'change one', section, [103, 107, 113, 114, 115, 117], 'update'),
    ...(deletable ? [operation('DELETE', one, 'delete one', instance, [105, 113, 117], 'delete')] : []),
  ];
}

function properties(options: Readonly<Record<string, OptionRule>>, version: number | undefined): Json {
  const served = Object.entries(options).filter(([, rule]) => !isLater(rule, version));
  return Object.fromEntries(
    served.map(([name, rule]) => {
      const text: Json = {
        type: 'string',
        ...(rule.type === 'flag' ? { enum: ['0', '1'] } : rule.values ? { enum: rule.values } : {}),
      };
      const schema: Json = rule.list ? { type: 'array', items: text } : text;
      return [
        name,
        {
          ...schema,
          ...(rule.default === undefined ? {} : { default: rule.default }),
          ...(isDeprecated(rule, version) ? DEPRECATED : {}),
          'x-option-type': rule.type,
          ...(rule.generated ? { 'x-generated-by-device': true } : {}),
          ...(rule.required ? { 'x-required-on-create': true } : {}),
        },
      ];
    }),
  );
}

function responses(schema: Json): Json {
  return { '200': { description: 'Success', ...json(schema) }, '4XX': { description: 'Refused', ...json(FAILURE) } };
}

function extensions(method: DeviceMethod, codes: readonly number[], effect: string | undefined, profile: string): Json {
  return {
    'x-acl-action': ACTION_OF_METHOD[method],
    'x-error-codes': codes,
    ...(effect ? { 'x-effect': effect } : {}),
    'x-profile': profile,
  };
}

function operationId(method: string, path: string): string {
  return `${method.toLowerCase()}_${path
    .replace(/^\/api\//, '')
    .replace(/[^a-z0-9]+/gi, '_')
    .replace(/_$/, '')}`;
}
