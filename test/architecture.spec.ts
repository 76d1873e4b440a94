import { describe, expect, it } from 'vitest';
import { findProblems } from './support/source/architecture-rules.js';

/* That each rule can fail. `scripts/check-architecture.mjs` applies them to the sources. */

function problemsOf(files: Record<string, string>): string[] {
  return findProblems(new Map(Object.entries(files)));
}

describe('a made-up tree', () => {
  it('that keeps all rules has no problem', () => {
    const problems = problemsOf({
      'src/main.ts': `import { start } from './gateway.js';`,
      'src/gateway.ts': `import { Jobs } from './jobs/jobs.service.js'; export const start = Jobs;`,
      'src/jobs/jobs.service.ts': `import { next } from './rows/job-state.js'; export class Jobs {} Date.now();`,
      'src/jobs/rows/job-state.ts': `import { z } from 'zod'; export const next = (now: Date) => new Date(now.getTime());`,
      'src/jobs/engine/job-queue.ts': `import { Queue } from 'bullmq'; export const queue = Queue;`,
      'src/database/database.ts': `import { MIGRATIONS } from '../../migrations/index.js'; import { runMigrations } from 'bullmq';`,
      'src/proxy/connections/transport.ts': `import { Pool } from 'undici'; import { read } from '../../device-api/contract.js';`,
      'src/device-api/contract.ts': `export const read = 1;`,
      'src/simulator/device/device.ts': `import { read } from '../../device-api/contract.js'; import './faults.js';`,
      'src/simulator/device/faults.ts': `export const faults = Math.random();`,
      'src/api-client/api-client.ts': `export const call = fetch;`,
      'src/cli/main.ts': `import { call } from '../api-client/api-client.js';`,
      'src/demo/main.ts': `import { start } from '../gateway.js'; import '../simulator/device/device.js'; import '../api-client/api-client.js';`,
    });

    expect(problems).toEqual([]);
  });

  it.each([
    ['a value', `import { Runner } from '../jobs/job-runner.js';`],
    ['a type', `import type { Runner } from '../jobs/job-runner.js';`],
    ['an inline type', `import { type Runner } from '../jobs/job-runner.js';`],
    ['a re-export', `export { Runner } from '../jobs/job-runner.js'; export const own = 1;`],
    ['a side effect', `import '../jobs/job-runner.js';`],
    ['a dynamic import', `const jobs = await import('../jobs/job-runner.js');`],
    ['a type expression', `type Jobs = typeof import('../jobs/job-runner.js');`],
  ])('fails when a folder imports to its right: %s', (_kind, text) => {
    expect(problemsOf({ 'src/proxy/device-calls.ts': text })).toEqual([
      'src/proxy/device-calls.ts must not import src/jobs/job-runner.ts',
    ]);
  });

  it('does not take a comment or a string for an import', () => {
    const text = `// import '../jobs/job-runner.js'\nexport const text = "import('../jobs/job-runner.js')";`;

    expect(problemsOf({ 'src/proxy/device-calls.ts': text })).toEqual([]);
  });

  it.each([
    ['src/platform/clock.ts', 'src/app.module.ts', `import '../app.module.js';`],
    ['src/jobs/sealed-values.ts', 'src/demo/report.ts', `import '../demo/report.js';`],
    ['src/gateway.ts', 'src/demo/report.ts', `import './demo/report.js';`],
    ['src/devices/devices.service.ts', 'migrations/index.ts', `import '../../migrations/index.js';`],
    ['src/platform/errors.ts', 'test/support/database.ts', `import '../../test/support/database.js';`],
  ])('fails when %s imports %s', (file, imported, text) => {
    expect(problemsOf({ [file]: text })).toEqual([`${file} must not import ${imported}`]);
  });

  it('fails for a folder that the order does not have', () => {
    expect(problemsOf({ 'src/utils/text.ts': `export const trim = 1;` })).toEqual([
      'src/utils/text.ts is in a folder that has no place in the order',
    ]);
  });

  it.each([
    ['src/jobs/rows/job.entity.ts', 'src/jobs/engine/leases.ts', `import '../engine/leases.js';`],
    ['src/jobs/engine/leases.ts', 'src/jobs/jobs.service.ts', `import '../jobs.service.js';`],
    ['src/jobs/jobs.service.ts', 'src/jobs/jobs.module.ts', `import './jobs.module.js';`],
    ['src/platform/clock.ts', 'src/platform/limits/slot-queue.ts', `import './limits/slot-queue.js';`],
  ])('fails when a part of a module imports to its right: %s imports %s', (file, imported, text) => {
    expect(problemsOf({ [file]: text })).toEqual([`${file} must not import ${imported}`]);
  });

  it('fails for a part of a module that the order does not have', () => {
    expect(problemsOf({ 'src/jobs/helpers/text.ts': `export const trim = 1;` })).toEqual([
      'src/jobs/helpers/text.ts is in a part of jobs that has no place in the order',
    ]);
  });

  it('fails when two exported classes or types share a name', () => {
    const problems = problemsOf({
      'src/audit/log.ts': `export class Place {} class Inner {}`,
      'src/auth/guard.ts': `class Inner {} export const Other = 1;`,
      'src/events/tail.ts': `export interface Place {} export interface Other {}`,
      'src/jobs/job.ts': `export type Place = string; export const Place = 1;`,
    });

    expect(problems).toEqual([
      'Place is the name of something in src/audit/log.ts and in src/events/tail.ts and in src/jobs/job.ts',
    ]);
  });

  it('fails when more than twenty files stand side by side', () => {
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`src/events/e${n}.ts`, `export const e = ${n};`]));
    expect(problemsOf(files(20))).toEqual([]);
    expect(problemsOf(files(21))).toEqual(['src/events has 21 files side by side, more than 20']);
  });

  it.each([
    ['src/simulator/device.ts', 'src/device-api/session.ts', `import '../device-api/session.js';`],
    ['src/simulator/device.ts', 'src/platform/clock.ts', `import '../platform/clock.js';`],
    ['src/api-client/api-client.ts', 'src/devices/devices.contract.ts', `import '../devices/devices.contract.js';`],
    ['src/cli/main.ts', 'src/platform/config.ts', `import '../platform/config.js';`],
    ['src/console/page.ts', 'src/cli/main.ts', `import '../cli/main.js';`],
    ['src/proxy/device-calls.ts', 'src/simulator/device.ts', `import '../simulator/device.js';`],
    ['src/gateway.ts', 'src/simulator/device.ts', `import './simulator/device.js';`],
    ['src/demo/main.ts', 'src/cli/main.ts', `import '../cli/main.js';`],
  ])('fails when a side branch is crossed: %s imports %s', (file, imported, text) => {
    expect(problemsOf({ [file]: text })).toEqual([`${file} must not import ${imported}`]);
  });

  it('fails when files import each other in a circle, if only by their types', () => {
    const problems = problemsOf({
      'src/jobs/a.ts': `import { b } from './b.js'; export const a = b;`,
      'src/jobs/b.ts': `import type { C } from './c.js'; export const b: C = 1;`,
      'src/jobs/c.ts': `import { type a } from './a.js'; export type C = number;`,
    });

    expect(problems).toEqual(['circle: src/jobs/a.ts -> src/jobs/b.ts -> src/jobs/c.ts -> src/jobs/a.ts']);
  });

  it('fails when a file imports itself', () => {
    expect(problemsOf({ 'src/jobs/a.ts': `import './a.js'; export const a = 1;` })).toEqual([
      'circle: src/jobs/a.ts -> src/jobs/a.ts',
    ]);
  });

  it.each([
    ['src/jobs/job-state.ts', '@nestjs/common'],
    ['src/rollouts/rollout-state.ts', 'typeorm'],
    ['src/devices/selector.ts', 'pg'],
    ['src/auth/permissions.ts', 'fastify'],
    ['src/device-api/bulk.ts', 'node:https'],
    ['src/device-api/session.ts', 'node:timers/promises'],
    ['src/jobs/kinds/backup.ts', 'ioredis'],
  ])('fails when %s, which is pure, imports %s', (file, name) => {
    expect(problemsOf({ [file]: `import { a } from '${name}'; export const b = a;` })).toEqual([
      `${file} holds pure rules and must not use ${name}`,
    ]);
  });

  it.each(['Date.now()', 'Math.random()', 'performance.now()', 'new Date()'])(
    'fails when a pure file reads %s',
    (reading) => {
      expect(problemsOf({ 'src/jobs/job-state.ts': `export const read = () => ${reading};` })).toEqual([
        `src/jobs/job-state.ts holds pure rules and must not use ${reading}`,
      ]);
    },
  );

  it('fails when a file only passes on what others export', () => {
    const files = {
      'src/devices/index.ts': `export * from './device.js';\nexport { type Site } from './site.js';`,
      'src/jobs/kinds/index.ts': `import { backup } from './backup.js';\nexport const KINDS = { backup };`,
    };

    expect(problemsOf(files)).toEqual(['src/devices/index.ts is a barrel: it only re-exports']);
  });

  it.each(['node:crypto', 'undici', 'openapi-typescript'])('fails when the client imports %s', (name) => {
    const text = `import { a } from '${name}'; import b from 'openapi-fetch'; export const c = [a, b];`;
    const problems = problemsOf({ 'src/api-client/api-client.ts': text });
    expect(problems).toContain(`src/api-client/api-client.ts is for browsers, too, and must not import ${name}`);
    expect(problems.filter((problem) => problem.includes('openapi-fetch'))).toEqual([]);
  });

  it.each([
    ['src/jobs/job-runner.ts', 'bullmq'],
    ['src/rollouts/rollouts.service.ts', 'bullmq/dist/queue.js'],
    ['src/device-api/contract.ts', 'undici'],
    ['src/jobs/sealed-values.ts', 'undici'],
  ])('fails when %s imports the package %s', (file, name) => {
    expect(problemsOf({ [file]: `import { a } from '${name}'; export const b = a;` })).toEqual([
      `${file} must not import the package ${name}`,
    ]);
  });
});
