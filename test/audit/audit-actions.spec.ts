import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { actionProblem, AUDIT_ACTIONS } from '../../src/audit/entries/audit-actions.js';

describe('an action to filter the audit by', () => {
  it.each([
    ['job.start', null],
    ['job.*', null],
    ['device.call_write', null],
    ['rollout.finish', null],
    ['job.strat', 'job.start'],
    ['job', 'job.*'],
    ['job.', 'job.*'],
    ['job.start.x', 'job.start'],
    ['jobs.start', 'one of alert, alert_rule, api_key'],
    ['', 'one of alert'],
    ['*', 'one of alert'],
    ['.*', 'one of alert'],
  ])('%j: %s', (written, named) => {
    const problem = actionProblem(written);
    expect(problem).toEqual(named === null ? null : expect.stringContaining(named));
  });

  it('is each one that an operation declares', () => {
    const document = readFileSync('docs/reference/openapi.json', 'utf8');
    const declared = [...document.matchAll(/"x-audit-action": "([^"]+)"/g)].map(([, action]) => action!);
    expect(declared.length).toBeGreaterThan(50);
    expect(declared.filter((action) => actionProblem(action) !== null)).toEqual([]);
    expect(AUDIT_ACTIONS).toEqual([...AUDIT_ACTIONS].sort());
  });
});
