import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  formatCheckpoint,
  numberOf,
  openCheckpoint,
  parseCheckpoint,
  splitNotes,
} from '../../src/merkle-log/checkpoint.js';
import { EMPTY_ROOT } from '../../src/merkle-log/merkle.js';
import {
  formatVerifierKey,
  isSignedBy,
  parseNote,
  parseVerifierKey,
  publicKeyBytes,
  signNote,
  type VerifierKey,
} from '../../src/merkle-log/signed-note.js';

/** The key of the checksum database of Go, as every Go toolchain has it. */
const KNOWN_KEY = 'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';

function newKey(name: string, isWitness = false) {
  const { privateKey } = generateKeyPairSync('ed25519');
  const key: VerifierKey = { name, publicKey: publicKeyBytes(privateKey), isWitness };
  return { key, privateKey };
}

const checkpoint = { origin: 'fleetgate/a', size: 7, root: EMPTY_ROOT, signedAt: new Date('2026-03-02T08:00:00Z') };

describe('a verifier key', () => {
  it('is the same after it was written and read', () => {
    for (const isWitness of [false, true]) {
      const { key } = newKey('fleetgate/a', isWitness);
      expect(parseVerifierKey(formatVerifierKey(key))).toEqual(key);
    }
  });

  it('of a well-known log is read', () => {
    expect(parseVerifierKey(KNOWN_KEY)).toMatchObject({ name: 'sum.golang.org', isWitness: false });
  });

  it('is refused when its id is not that of its key, or it is no key', () => {
    expect(parseVerifierKey(KNOWN_KEY.replace('033de0ae', '033de0af'))).toBeNull();
    for (const text of ['', 'a+b', 'name+00000000+AAAA']) expect(parseVerifierKey(text)).toBeNull();
  });
});

describe('a checkpoint', () => {
  const { key, privateKey } = newKey('fleetgate/a');
  const note = signNote(formatCheckpoint(checkpoint), key, privateKey);

  it('has the form of C2SP tlog-checkpoint, and says the same after it was signed and read', () => {
    const lines = note.split('\n');
    expect(lines.slice(0, 3)).toEqual(['fleetgate/a', '7', EMPTY_ROOT.toString('base64')]);
    expect(lines.slice(3)).toEqual([
      'signed 2026-03-02T08:00:00.000Z',
      '',
      expect.stringMatching(/^— fleetgate\/a /),
      '',
    ]);
    expect(openCheckpoint(note, key)).toEqual(checkpoint);
  });

  it('names the one before it, and from when the clock was set back', () => {
    const full = {
      ...checkpoint,
      after: { number: 16, size: 5, signedAt: new Date('2026-03-02T07:59:50Z') },
      setBackFrom: new Date('2026-03-02T09:00:00Z'),
    };
    const signed = signNote(formatCheckpoint(full), key, privateKey);
    expect(signed.split('\n').slice(3, 6)).toEqual([
      'signed 2026-03-02T08:00:00.000Z',
      'after 16 5 2026-03-02T07:59:50.000Z',
      'set back from 2026-03-02T09:00:00.000Z',
    ]);
    expect(openCheckpoint(signed, key)).toEqual(full);
    expect(openCheckpoint(signed.replace('after 16', 'after 15'), key)).toBeNull();
    expect([numberOf(full), numberOf(checkpoint)]).toEqual([17, 0]);
  });

  it('is refused when a letter of it was changed, or another key or log signed it', () => {
    expect(openCheckpoint(note.replace('\n7\n', '\n8\n'), key)).toBeNull();
    expect(openCheckpoint(note, newKey('fleetgate/a').key)).toBeNull();
    const other = newKey('fleetgate/b');
    expect(openCheckpoint(signNote(formatCheckpoint(checkpoint), other.key, other.privateKey), other.key)).toBeNull();
    expect(parseCheckpoint('nothing of that kind\n')).toBeNull();
  });

  it('is found again in a file of many', () => {
    const second = signNote(formatCheckpoint({ ...checkpoint, size: 9 }), key, privateKey);
    expect(splitNotes(note + second)).toEqual([note, second]);
    expect(splitNotes(`${note}\n${second}`)).toEqual([note, second]);
    expect(splitNotes('')).toEqual([]);
  });

  it('bears the cosignature of a witness, over the time and the checkpoint', () => {
    const witness = newKey('witness.example/w', true);
    const body = formatCheckpoint(checkpoint);
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(1_772_438_400n);
    const signature = sign(null, Buffer.from(`cosignature/v1\ntime 1772438400\n${body}`), witness.privateKey);
    const keyId = Buffer.from(formatVerifierKey(witness.key).split('+')[1]!, 'hex');
    const line = `— witness.example/w ${Buffer.concat([keyId, time, signature]).toString('base64')}\n`;
    expect(isSignedBy(parseNote(note + line)!, witness.key)).toBe(true);
    expect(openCheckpoint(note + line, key)).toEqual(checkpoint);
    const later = Buffer.concat([keyId, Buffer.from('0000000069a54301', 'hex'), signature]).toString('base64');
    expect(isSignedBy(parseNote(`${note}— witness.example/w ${later}\n`)!, witness.key)).toBe(false);
  });
});
