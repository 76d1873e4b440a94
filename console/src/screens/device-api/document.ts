import { queryOptions } from '@tanstack/react-query';
import { shortText } from '../../ui/json.js';
import { deviceAnswer } from './device-call.js';
import { METHODS, type Method, type Operation, type Option } from './operation.js';
import { KEYS } from '../../api/keys/query-keys.js';

/* The device's own OpenAPI document, as far as the console needs it. It is foreign: anything may be missing. */

type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** The value inside objects, by the names on its way. */
const within = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((inner, name) => fieldsOf(inner)[name], value);

/** Reads all operations of a device; they change with its firmware only. */
export const documentQuery = (deviceId: string) =>
  queryOptions({
    queryKey: KEYS.deviceDocument.one(deviceId),
    queryFn: async ({ signal }) => {
      const { value } = await deviceAnswer(deviceId, { method: 'GET', path: '/api/openapi.json' }, signal);
      return operationsOf(value);
    },
    staleTime: 600_000,
    refetchOnWindowFocus: false,
  });

function operationsOf(document: unknown): readonly Operation[] {
  return Object.entries(fieldsOf(within(document, 'paths')))
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([path, methods]) =>
      METHODS.flatMap((method) => {
        const operation = fieldsOf(methods)[method.toLowerCase()];
        return operation === undefined ? [] : [operationOf(method, path, fieldsOf(operation))];
      }),
    );
}

function operationOf(method: Method, path: string, operation: Fields): Operation {
  const content = fieldsOf(within(operation['requestBody'], 'content'));
  const data = within(content['application/json'], 'schema', 'properties', 'data');
  const parameters = listOf(operation['parameters']).filter((one) => within(one, 'in') === 'query');
  return {
    method,
    path,
    summary: textOf(operation['summary']),
    query: parameters.map((one) => textOf(within(one, 'name'))),
    options: 'application/json' in content ? optionsOf(within(data, 'items') ?? data) : null,
    takesFile: 'multipart/form-data' in content,
  };
}

function optionsOf(schema: unknown): readonly Option[] {
  const required = listOf(within(schema, 'required'));
  return Object.entries(fieldsOf(within(schema, 'properties'))).map(([name, property]) => {
    const items = within(property, 'items');
    const values = listOf(within(items ?? property, 'enum')).map(String);
    const preset = within(property, 'default');
    return {
      name,
      values: values.length > 0 ? values : null,
      isList: items !== undefined,
      type: textOf(within(property, 'x-option-type')) || null,
      preset: preset === undefined ? null : shortText(preset),
      isRequired: required.includes(name) || within(property, 'x-required-on-create') === true,
    };
  });
}
