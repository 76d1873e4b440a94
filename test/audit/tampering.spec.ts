import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DataSource } from 'typeorm';
import { type VerifyOptions } from '../../src/audit/log/verification.js';
import { type FindingKind } from '../../src/audit/log/verify-lines.js';
import { formatCheckpoint } from '../../src/merkle-log/checkpoint.js';
import { formatVerifierKey, publicKeyBytes, signNote } from '../../src/merkle-log/signed-note.js';
import { copyOf, freshDatabase, type TestDatabase } from '../support/database.js';
import { FakeClock } from '../support/fake-clock.js';
import { casesOf } from '../support/forms.js';
import { until } from '../support/until.js';
import { openAuditWorld, type AuditWorld } from './audit-world.js';

/*
 * What somebody who owns the database, but not the key, may do to the audit behind the application's back: each of it is
 * found, and the row is named. Every case works on a copy of one history of 600 leaves, with a checkpoint each 100.
 */

interface Target {
  readonly sequence: number;
  readonly kind: number;
  readonly id: string;
}

const LEAVES = 600;
const HALF_AN_HOUR_MS = 30 * 60_000;

let history: TestDatabase;
let clockMs: number;
/** What a witness kept. */
let witnessed: string[];
let leaves: Target[];
let world: AuditWorld;

const nameOf = (database: TestDatabase) => new URL(database.url).pathname.slice(1);

beforeAll(async () => {
  history = await freshDatabase();
  const clock = new FakeClock();
  const made = await openAuditWorld({ ...history, drop: () => Promise.resolve() }, clock);
  for (let checkpoint = 0; checkpoint < 6; checkpoint++) {
    clock.pass(HALF_AN_HOUR_MS);
    await made.act(LEAVES / 12);
    await made.sequencer.catchUp();
  }
  await until(async () => {
    await made.sequencer.catchUp(); // until no older transaction of another test holds it back
    const [{ isPassed }] = await made.db.query<[{ isPassed: boolean }]>(
      `select watermark > (select max(written_in) from audit_outcome) as "isPassed" from audit_log`,
    );
    return isPassed;
  });
  clock.pass(HALF_AN_HOUR_MS);
  clockMs = clock.now().getTime();
  witnessed = (await made.db.query<{ note: string }[]>('select note from audit_checkpoint order by size')).map(
    ({ note }) => note,
  );
  leaves = await made.db.query<Target[]>(
    'select sequence::int as sequence, kind, row_id as id from audit_leaf order by sequence',
  );
  await made.close();
}, 300_000); // a transaction of another test may hold it back for as long as that test lasts
afterAll(() => history.drop());
afterEach(() => world.close());

/** The history with nobody at it yet. */
async function open(): Promise<{ world: AuditWorld; owner: DataSource }> {
  world = await openAuditWorld(await copyOf(nameOf(history)), new FakeClock(clockMs));
  return { world, owner: world.owner };
}

/** @returns the kinds that were found at this place or row */
async function foundAt(target: Partial<Target>, options?: VerifyOptions): Promise<FindingKind[]> {
  const { findings, summary } = await world.verify(options);
  expect(summary.holds).toBe(false);
  return findings
    .filter(
      ({ row, sequence, through }) =>
        (target.id !== undefined && row?.id === target.id) ||
        (target.sequence !== undefined &&
          sequence !== null &&
          sequence <= target.sequence &&
          (through ?? sequence) >= target.sequence),
    )
    .map(({ kind }) => kind);
}

const table = ({ kind }: Target) => (kind === 0 ? 'audit_entry' : 'audit_outcome');
const key = ({ kind }: Target) => (kind === 0 ? 'id' : 'entry_id');

/** The first, on both sides of a stored hash, in the middle, the last. */
const POSITIONS = [0, 255, 256, 301, LEAVES - 1];

/** Each alters one place. */
const TAMPERINGS: Record<
  string,
  { does: (owner: DataSource, target: Target) => Promise<unknown>; found: FindingKind }
> = {
  'edits what was done': {
    does: (owner, target) =>
      owner.query(`update ${table(target)} set facts = facts || '{"edited": true}' where ${key(target)} = $1`, [
        target.id,
      ]),
    found: 'row_altered',
  },
  'moves the time by a second': {
    does: (owner, target) => {
      const column = target.kind === 0 ? 'opened_at' : 'closed_at';
      const sql = `update ${table(target)} set ${column} = ${column} + interval '1 second' where ${key(target)} = $1`;
      return owner.query(sql, [target.id]);
    },
    found: 'row_altered',
  },
  'edits a row and its leaf': {
    does: async (owner, target) => {
      await owner.query(`update ${table(target)} set facts = '{}' where ${key(target)} = $1`, [target.id]);
      await owner.query(`update audit_leaf set hash = sha256('other') where sequence = $1`, [target.sequence]);
    },
    found: 'leaf_altered',
  },
  'edits a row, its leaf and the hash above': {
    does: async (owner, target) => {
      await owner.query(`update ${table(target)} set facts = '{}' where ${key(target)} = $1`, [target.id]);
      await owner.query(`update audit_leaf set hash = sha256('other') where sequence = $1`, [target.sequence]);
      await owner.query(`update audit_node set hash = sha256('other') where position = $1`, [target.sequence >> 8]);
    },
    found: 'leaf_altered',
  },
  'deletes a row': {
    does: (owner, target) => owner.query(`delete from ${table(target)} where ${key(target)} = $1`, [target.id]),
    found: 'row_missing',
  },
  'deletes a leaf': {
    does: (owner, target) => owner.query('delete from audit_leaf where sequence = $1', [target.sequence]),
    found: 'row_without_place',
  },
  'deletes a row with its leaf': {
    does: async (owner, target) => {
      await owner.query(`delete from ${table(target)} where ${key(target)} = $1`, [target.id]);
      await owner.query('delete from audit_leaf where sequence = $1', [target.sequence]);
    },
    found: 'leaf_missing',
  },
  'deletes a row with its leaf and closes the gap': {
    does: async (owner, target) => {
      await owner.query(`delete from ${table(target)} where ${key(target)} = $1`, [target.id]);
      await owner.query('delete from audit_leaf where sequence = $1', [target.sequence]);
      await owner.query('alter table audit_leaf drop constraint audit_leaf_counts_from_zero');
      await owner.query('update audit_leaf set sequence = -sequence where sequence > $1', [target.sequence]);
      await owner.query('update audit_leaf set sequence = -sequence - 1 where sequence < 0');
    },
    found: 'leaf_altered',
  },
  'puts a forged row and leaf in the place of another': {
    does: async (owner, target) => {
      await owner.query('delete from audit_leaf where sequence = $1', [target.sequence]);
      await owner.query(
        `with forged as (insert into audit_entry (id, opened_at, action, actor, actor_name, subject, written_in)
           select gen_random_uuid(), $2, 'device.call_write', 'key:x', 'x', 'PUT /x', '1' returning id)
         insert into audit_leaf select $1, 0, id, sha256('forged'), decode(repeat('ab', 16), 'hex') from forged`,
        [target.sequence, new Date(clockMs)],
      );
    },
    found: 'leaf_altered',
  },
  'exchanges the places of two rows': {
    does: async (owner, target) => {
      const other = target.sequence === 10 ? 11 : 10;
      await owner.query('alter table audit_leaf drop constraint audit_leaf_pkey');
      await owner.query(
        'update audit_leaf set sequence = case sequence when $1 then $2::bigint else $1 end where sequence in ($1, $2)',
        [target.sequence, other],
      );
    },
    found: 'leaf_altered',
  },
  'replaces all that a row says': {
    does: (owner, target) =>
      owner.query(
        `update ${table(target)} set facts = '{"requested": {"value": "of another"}}' where ${key(target)} = $1`,
        [target.id],
      ),
    found: 'row_altered',
  },
  'writes a row twice under the same id': {
    does: async (owner, target) => {
      const name = table(target);
      await owner.query(`alter table ${name} drop constraint ${name}_pkey`);
      await owner.query(`insert into ${name} select * from ${name} where ${key(target)} = $1`, [target.id]);
    },
    found: 'row_duplicated',
  },
};

describe.each(casesOf(POSITIONS, 1, 1))('at place %i, an owner of the database', (position) => {
  it.each(Object.keys(TAMPERINGS))('who %s is found, and the row named', async (name) => {
    const { owner } = await open();
    const { does, found } = TAMPERINGS[name]!;
    const target = leaves[position]!;
    await does(owner, target);
    // Without its last leaf a log is one that was cut.
    const isCut = position === LEAVES - 1 && name.startsWith('deletes a row with its leaf');
    expect(await foundAt(target)).toContain(isCut ? 'tail_cut' : found);
  });

  it('who cuts the log off from here is found, rows and stored hashes cut or not', async () => {
    const { owner } = await open();
    await owner.query('delete from audit_leaf where sequence >= $1', [position]);
    const target = leaves[position]!;
    expect(await foundAt({ id: target.id })).toContain('row_without_place');
    await owner.query(
      'delete from audit_entry where not exists (select from audit_leaf where row_id = id and kind = 0)',
    );
    await owner.query(
      'delete from audit_outcome where not exists (select from audit_leaf where row_id = entry_id and kind = 1)',
    );
    await owner.query('delete from audit_node where (position + 1) * 256 > $1', [position]);
    expect(await foundAt({ sequence: position })).toEqual(['tail_cut']);
  });

  it('who rolls all of it back to here, checkpoints too, is found with the checkpoints of a witness', async () => {
    const { owner } = await open();
    await rollBack(owner, position);
    expect((await world.verify()).findings).toEqual([]); // nothing in the database can tell
    expect(await foundAt({ sequence: position }, { witnessed })).toContain('rolled_back');
  });

  it('who rolls back to here and lets the gateway go on is found with them, too', async () => {
    const { owner } = await open();
    await rollBack(owner, position);
    await world.act(LEAVES / 2);
    await world.sequencer.catchUp();
    expect((await world.verify()).findings).toEqual([]);
    const found = await foundAt({ sequence: position }, { witnessed });
    expect(found).toContain('forked');
  });

  it('who inserts a row with the time of this one is found, placed by the gateway or not', async () => {
    const { owner } = await open();
    const target = leaves[Math.min(position, 400)]!;
    const [row] = await owner.query<{ id: string }[]>(
      `insert into audit_entry (id, opened_at, action, actor, actor_name, subject)
       select gen_random_uuid(), coalesce(opened_at, closed_at), 'device.call_write', 'key:x', 'x', 'PUT /x'
         from audit_leaf leaf left join audit_entry on leaf.kind = 0 and id = row_id
         left join audit_outcome on leaf.kind = 1 and entry_id = row_id where sequence = $1 returning id`,
      [target.sequence],
    );
    expect(await foundAt({ id: row!.id })).toEqual(['row_out_of_time']);
    await world.sequencer.catchUp();
    expect(await foundAt({ id: row!.id })).toEqual(['row_out_of_time']);
  });

  it('who inserts a row as if its turn had passed is found', async () => {
    const { owner } = await open();
    const [row] = await owner.query<{ id: string }[]>(
      `insert into audit_entry (id, opened_at, action, actor, actor_name, subject, written_in)
       values (gen_random_uuid(), $1, 'device.call_write', 'key:x', 'x', 'PUT /x', '3') returning id`,
      [new Date(clockMs - position * 1_000)],
    );
    await world.sequencer.catchUp();
    expect(await foundAt({ id: row!.id })).toEqual(['row_without_place']);
  });
});

/** Takes away all that came after: rows, leaves, hashes, checkpoints. */
async function rollBack(owner: DataSource, size: number): Promise<void> {
  await owner.query('delete from audit_leaf where sequence >= $1', [size]);
  await owner.query('delete from audit_entry where not exists (select from audit_leaf where row_id = id and kind = 0)');
  await owner.query(
    'delete from audit_outcome where not exists (select from audit_leaf where row_id = entry_id and kind = 1)',
  );
  await owner.query('delete from audit_node where (position + 1) * 256 > $1', [size]);
  await owner.query('delete from audit_checkpoint where size > $1', [size]);
}

describe.each(casesOf([100, 300, 600], 1, 1))('at the checkpoint of %i leaves, an owner of the database', (size) => {
  it('who puts another checkpoint there is found', async () => {
    const { owner } = await open();
    const other = size === 100 ? 200 : 100;
    await owner.query(
      'update audit_checkpoint set note = (select note from audit_checkpoint where size = $2) where size = $1',
      [size, other],
    );
    expect(await foundAt({ sequence: size - 1 })).toEqual(['checkpoint_altered']);
  });

  it('who signs one himself is found', async () => {
    const { owner } = await open();
    const [row] = await owner.query<{ root: Buffer; signed_at: Date }[]>(
      'select * from audit_checkpoint where size = $1',
      [size],
    );
    const { privateKey } = generateKeyPairSync('ed25519');
    const origin = 'fleetgate/audit/test';
    const text = formatCheckpoint({ origin, size, root: row!.root, signedAt: row!.signed_at });
    const note = signNote(text, { name: origin, publicKey: publicKeyBytes(privateKey), isWitness: false }, privateKey);
    await owner.query('update audit_checkpoint set note = $2 where size = $1', [size, note]);
    expect(await foundAt({ sequence: size - 1 })).toEqual(['checkpoint_altered']);
    expect(await foundAt({}, { witnessed: [note] })).toEqual([]);
    const { findings } = await world.verify({ witnessed: [note] });
    expect(findings.map(({ kind }) => kind)).toContain('wrong_key');
  });

  it('who alters a letter of it is found', async () => {
    const { owner } = await open();
    await owner.query(`update audit_checkpoint set signed_at = signed_at + interval '1 ms' where size = $1`, [size]);
    expect(await foundAt({ sequence: size - 1 })).toEqual(['checkpoint_altered']);
  });
});

describe('an owner of the database who deletes checkpoints', () => {
  const missing = async (options?: VerifyOptions) =>
    (await world.verify(options)).findings.filter(({ kind }) => kind === 'checkpoint_missing');
  const grow = async () => {
    await world.act(1);
    await world.sequencer.catchUp();
  };
  /** @returns the id of an entry that claims to be 30 days old, which the gateway has placed and signed */
  async function forge(ageMs = 30 * 24 * 3_600_000, placeBy: Pick<AuditWorld, 'sequencer'> = world): Promise<string> {
    const [row] = await world.owner.query<{ id: string }[]>(
      `insert into audit_entry (id, opened_at, action, actor, actor_name, subject)
       values (gen_random_uuid(), $1, 'device.call_write', 'key:x', 'x', 'PUT /x') returning id`,
      [new Date(clockMs - ageMs)],
    );
    await placeBy.sequencer.catchUp();
    return row!.id;
  }

  it.each([
    { sizes: [100], which: 'Checkpoints 1 to 1 ', at: [0, 199] },
    { sizes: [300], which: 'Checkpoints 3 to 3 ', at: [200, 399] },
    { sizes: [200, 300, 400], which: 'Checkpoints 2 to 4 ', at: [100, 499] },
    { sizes: [100, 200, 300, 400, 500], which: 'Checkpoints 1 to 5 ', at: [0, 599] },
  ])('at $sizes is found, and each of them named', async ({ sizes, which, at }) => {
    const { owner } = await open();
    await owner.query('delete from audit_checkpoint where size = any($1)', [sizes]);
    const { findings } = await world.verify();
    expect(findings).toMatchObject([{ kind: 'checkpoint_missing', sequence: at[0], through: at[1] }]);
    expect(findings[0]!.what).toContain(which);
    // A witness says of each that it kept.
    const seen = await missing({ witnessed });
    for (const size of sizes) expect(seen.map(({ what }) => what).join()).toContain(`checkpoint at ${size} leaves`);
  });

  it('to hide that an entry is not as old as it says is found, and the entry named', async () => {
    const { owner } = await open();
    const id = await forge();
    await owner.query('delete from audit_checkpoint where size <= $1', [LEAVES]);
    expect(await foundAt({ id })).toEqual(['row_out_of_time']);
    expect((await missing())[0]!.what).toContain('Checkpoints 1 to 6 ');
  });

  it('behind that entry, too, is found, and the entry named', async () => {
    const { owner } = await open();
    const id = await forge();
    await grow();
    await owner.query('delete from audit_checkpoint where size <= $1', [LEAVES + 1]);
    expect((await missing())[0]!.what).toContain('Checkpoints 1 to 7 ');
    expect(await foundAt({ id }, { witnessed })).toEqual(['row_out_of_time']);
    // The leaves before the entry have times, too. That checkpoints were deleted, only a witness says after a restart.
    await owner.query('delete from audit_checkpoint');
    await (await world.replica()).sequencer.catchUp();
    expect(await foundAt({ id })).toEqual(['row_out_of_time']);
    expect(await missing()).toEqual([]);
    expect(await missing({ witnessed })).toHaveLength(6);
  });

  it.each([300, 0])('behind the one at %i at a restart does not date an entry back', async (size) => {
    const { owner } = await open();
    await owner.query('delete from audit_checkpoint where size > $1', [size]);
    const id = await forge(3 * HALF_AN_HOUR_MS, await world.replica());
    const { findings } = await world.verify();
    expect(findings).toMatchObject([{ kind: 'row_out_of_time', row: { id } }]);
  });

  it('at the end is found once the process that signed them goes on, or with a witness', async () => {
    const { owner } = await open();
    await grow();
    await owner.query('delete from audit_checkpoint where size > 500');
    expect((await world.verify()).findings).toEqual([]);
    expect((await missing({ witnessed })).map(({ what }) => what)).toEqual([
      'The checkpoint at 600 leaves, which a witness has, was deleted',
    ]);
    await grow();
    expect((await missing())[0]!.what).toContain('Checkpoints 6 to 7 ');
  });
});

describe('an owner of the database', () => {
  it.each([0, 1])('who alters or deletes the stored hash %i is found', async (position) => {
    const { owner } = await open();
    await owner.query(`update audit_node set hash = sha256('x') where position = $1`, [position]);
    expect(await foundAt({ sequence: position * 256 })).toEqual(['node_altered']);
    await owner.query('delete from audit_node where position = $1', [position]);
    expect(await foundAt({ sequence: position * 256 })).toEqual(['node_altered']);
  });

  it('who puts a whole other log there is found by the key that the auditor knows', async () => {
    await open();
    const { privateKey } = generateKeyPairSync('ed25519');
    const expected = { name: 'fleetgate/audit/test', publicKey: publicKeyBytes(privateKey), isWitness: false };
    const { findings, summary } = await world.verify({ key: formatVerifierKey(expected) });
    expect([findings.map(({ kind }) => kind), summary.holds]).toEqual([['wrong_key'], false]);
  });

  it('who does nothing raises no alarm, whatever a witness has kept', async () => {
    await open();
    const { findings, summary } = await world.verify({ witnessed, key: await world.log.verifierKey() });
    expect(findings).toEqual([]);
    expect(summary).toMatchObject({ holds: true, leaves: LEAVES, checkpoints: 6, witnessed: 6, pending: 0 });
  });
});

describe('an entry of the future', () => {
  it.each(['null', `'18446744073709551615'`])(
    'is found when no transaction can have written it: %s',
    async (writtenIn) => {
      const { owner } = await open();
      const [row] = await owner.query<{ id: string }[]>(
        `insert into audit_entry (id, opened_at, action, actor, actor_name, subject, written_in)
         values (gen_random_uuid(), $1, 'device.call_write', 'key:x', 'x', 'PUT /x', ${writtenIn}) returning id`,
        [new Date(clockMs + 365 * 86_400_000)],
      );
      await world.act(1);
      await world.sequencer.catchUp();
      expect(await foundAt({ id: row!.id })).toEqual(['row_without_place']);
    },
  );
});
