import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConfig, lintFromString, stringifyYaml } from '@redocly/openapi-core';
import { type OpenAPIObject } from '@nestjs/swagger';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildDocument } from '../../src/openapi/openapi.js';
import { routesOnly } from '../support/api-document.js';

/* Tools that know only the document: a linter, and a generator of clients with a compiler. */

let document: OpenAPIObject;

beforeAll(async () => {
  // As a client reads it: what is not JSON is not there.
  document = JSON.parse(JSON.stringify(buildDocument(await routesOnly()))) as OpenAPIObject;
});

describe('the document', () => {
  it('satisfies a linter', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      rules: {
        'no-empty-servers': 'off', // the server is the one that the document comes from
        'operation-4xx-response': 'off', // health has none
        'operation-2xx-response': 'off', // the way to a provider is a redirect
        // `../openapi.spec.ts` does this for all examples, and a hundred times faster.
        'no-invalid-media-type-examples': 'off',
        'no-invalid-schema-examples': 'off',
      },
    });
    const problems = await lintFromString({ source: stringifyYaml(document), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('makes a client that a compiler takes, with bodies, kinds of jobs and headers', async () => {
    const source = astToString(await openapiTS(JSON.stringify(document), { defaultNonNullable: false }));
    const said = compile({ 'api.d.ts': source, 'usage.ts': USAGE, 'misuse.ts': MISUSE });
    expect(said['usage.ts'] ?? []).toEqual([]);
    expect(said['api.d.ts'] ?? []).toEqual([]);
    expect(said['misuse.ts']).toHaveLength(4);
  });
});

/** @returns what the compiler says about each of these files */
function compile(files: Readonly<Record<string, string>>): Record<string, string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'fleetgate-client-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const program = ts.createProgram(
      Object.keys(files).map((name) => path.join(folder, name)),
      {
        strict: true,
        noEmit: true,
        types: [],
        lib: ['lib.es2022.d.ts'],
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
      },
    );
    const said: Record<string, string[]> = {};
    for (const source of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder))) {
      const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
      said[path.basename(source.fileName)] = found.map(({ messageText }) =>
        ts.flattenDiagnosticMessageText(messageText, ' '),
      );
    }
    return said;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a client may write. Fields with a default may be left out. */
const USAGE = `
import type { components, operations, paths } from './api.js';
type Schemas = components['schemas'];
export const device: Schemas['RegisterDevice'] = { name: 'pump-1', baseUrl: 'https://192.0.2.7' };
export const backup: Schemas['StartJob'] = { kind: 'backup' };
export const firmware: Schemas['StartJob'] = { kind: 'firmware', spec: { source: 'vendor', keepSettings: true } };
export const rollout: Schemas['CreateRollout'] = { name: 'June', kind: 'backup', selector: 'tag:pump', policy: {} };
export const problem = (answer: Schemas['Problem']): string => answer.code + answer.title;
export const line = (text: string) => JSON.parse(text) as Schemas['FanOutLine'];
export const outcome = (of: Schemas['FanOutLine']) => (of.type === 'result' ? of.outcome : null);
export function restored(job: Schemas['Job']): string | null {
  return job.kind === 'restore' ? job.spec.artifactId : null;
}
type Start = operations['jobs_start'];
export const waiting: Start['parameters']['header'] = { Prefer: 'wait=30' };
export const ended: Start['responses'][200]['content']['application/json'] | null = null;
export const file: keyof paths['/v1/devices/import']['post']['requestBody']['content'] = 'text/csv';
export const resumed: operations['events_follow']['parameters']['header'] = { 'Last-Event-ID': '7.1' };
export const approved: operations['fanouts_stream']['parameters']['header'] = { 'Approval-Id': 'x' };
`;

/** And what it may not: each of these lines is an error. */
const MISUSE = `
import type { components } from './api.js';
type Schemas = components['schemas'];
export const nameless: Schemas['RegisterDevice'] = { baseUrl: 'https://192.0.2.7' };
export const unknown: Schemas['StartJob'] = { kind: 'dance' };
export const other: Schemas['StartJob'] = { kind: 'restore', spec: { source: 'vendor' } };
export const wrong = (job: Schemas['Job']) => (job.kind === 'backup' ? job.spec.artifactId : null);
`;
