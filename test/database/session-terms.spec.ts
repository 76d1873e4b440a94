import { describe, expect, it } from 'vitest';
import {
  APP_ROLE,
  appTerms,
  faultOf,
  pgDuration,
  type SessionFacts,
} from '../../src/database/connection/session-terms.js';

const terms = appTerms();
const asNeeded: SessionFacts = {
  login: 'gate', role: APP_ROLE, pid: 1, changeable: [], replica: false, triggers: 'origin', settings: terms.settings,
}; // prettier-ignore
const withSetting = (name: string, value: string) => ({ settings: { ...terms.settings, [name]: value } });

describe('a new connection to the database', () => {
  it('is used when it is what it has to be', () => {
    expect(faultOf(asNeeded, terms)).toBeNull();
    expect(
      faultOf({ ...asNeeded, ...withSetting('search_path', 'bullmq') }, appTerms({ search_path: 'bullmq' })),
    ).toBeNull();
  });

  it.each<[name: string, seen: Partial<SessionFacts>, says: string]>([
    ['the owner', { role: 'gate' }, 'works as gate instead of fleetgate_app'],
    ['a superuser', { role: 'postgres', changeable: ['audit_entry'] }, 'works as postgres'],
    ['a role that may change the audit', { changeable: ['audit_entry', 'audit_leaf'] }, 'audit_entry, audit_leaf'],
    ['a replica', { replica: true }, 'read-only replica'],
    ['a session without triggers', { triggers: 'replica' }, 'session_replication_role is replica'],
    ['one with another search path', withSetting('search_path', '"$user", public'), 'search_path is "$user", public instead of public'],
    ['one without a limit for statements', withSetting('statement_timeout', '0'), 'statement_timeout is 0 instead of 30s'],
    ['one with another limit', withSetting('statement_timeout', '5min'), 'statement_timeout is 5min'],
    ['one that waits for ever in a transaction', withSetting('idle_in_transaction_session_timeout', '0'), 'idle_in_transaction'],
    ['one with a limit for locks', withSetting('lock_timeout', '1s'), 'lock_timeout is 1s'],
    ['one that is serializable', withSetting('default_transaction_isolation', 'serializable'), 'is serializable'],
    ['one that may only read', withSetting('default_transaction_read_only', 'on'), 'read_only is on'],
    ['one with dates that the driver misreads', withSetting('DateStyle', 'SQL, DMY'), 'DateStyle is SQL, DMY'],
    ['one that says nothing of a setting', { settings: {} }, 'search_path is unknown'],
  ])('is refused when it is %s', (_name, seen, says) => {
    expect(faultOf({ ...asNeeded, ...seen }, terms)).toContain(says);
  }); // prettier-ignore

  it('gets the commands that help where a pooler shares its sessions, and else the advice to leave the pooler', () => {
    const seen = { ...asNeeded, role: 'gate', ...withSetting('lock_timeout', '1s') };
    expect(faultOf(seen, appTerms({}, false))).toContain(
      `alter role "gate" set role = 'fleetgate_app'; alter role "gate" set lock_timeout = '0'`,
    );
    expect(faultOf(seen, terms)).toContain('use session mode');
  });

  it.each([
    [0, '0'],
    [250, '250ms'],
    [1_000, '1s'],
    [1_500, '1500ms'],
    [30_000, '30s'],
    [90_000, '90s'],
    [60_000, '1min'],
    [3_600_000, '1h'],
  ])('has a limit of %i ms, which Postgres shows as %s', (ms, shown) => {
    expect(pgDuration(ms)).toBe(shown);
  });
});
