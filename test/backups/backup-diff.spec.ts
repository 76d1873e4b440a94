import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pack } from 'tar-stream';
import { redact } from '../../src/device-api/redaction.js';
import { type BackupFile, BackupUnreadable, contentDigest, openBackup } from '../../src/backups/backup-archive.js';
import { backupContents, backupDifference, type SecretHider } from '../../src/backups/backup-diff.js';

const hide: SecretHider = (value, path) => redact(value, path, (text) => `<${text.length}>`).value as typeof value;

const file = (name: string, text: string): BackupFile => ({ name, content: Buffer.from(text) });

async function archive(files: Record<string, string>, mtime = new Date(0)): Promise<Buffer> {
  const tar = pack();
  for (const [name, text] of Object.entries(files)) tar.entry({ name, mtime }, text);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return gzipSync(Buffer.concat(chunks));
}

describe('the content of a backup', () => {
  it('is the same whatever the dates and the order in the archive', async () => {
    const one = await openBackup(Readable.from([await archive({ a: '1', b: '2' })]));
    const other = await openBackup(Readable.from([await archive({ b: '2', a: '1' }, new Date(1e12))]));
    expect(contentDigest(one)).toBe(contentDigest(other));
    const moved = await openBackup(Readable.from([await archive({ a: '12', b: '' })]));
    expect(contentDigest(moved)).not.toBe(contentDigest(one));
  });

  it.each([
    ['no archive', () => Promise.resolve(Buffer.from('hello'))],
    ['half of one', async () => (await archive({ a: 'x'.repeat(10_000) })).subarray(0, 60)],
    ['an empty one', () => archive({})],
    ['one that unpacks to too much', () => Promise.resolve(gzipSync(Buffer.alloc(40 * 1024 * 1024)))],
  ])('is not taken from %s', async (_, make) => {
    await expect(openBackup(Readable.from([await make()]))).rejects.toThrow(BackupUnreadable);
  });
});

describe('the difference of two backups', () => {
  it('shows lines that differ in their order, and hides secrets by the names of options', () => {
    const before = [
      file('etc/config/wireless', "config wifi\n\toption ssid 'one'\n\toption key 'old-secret'\n\toption on '1'\n"),
    ];
    const after = [
      file('etc/config/wireless', "config wifi\n\toption ssid 'two'\n\toption key 'newer-secret'\n\toption on '1'\n"),
    ];
    const { files, same } = backupDifference(before, after, hide);
    expect(same).toBe(false);
    expect(files).toMatchObject([{ name: 'etc/config/wireless', change: 'changed' }]);
    const lines = files[0]!.lines!.map(({ is, text }) => `${is}${text.trim()}`);
    expect(lines).toEqual(["-option ssid 'one'", "-option key '<10>'", "+option ssid 'two'", "+option key '<12>'"]);
  });

  it('says of other files only that they differ', () => {
    const { files } = backupDifference(
      [file('etc/shadow', 'root:$1$x$abc:')],
      [file('etc/shadow', 'root:$1$y$def:')],
      hide,
    );
    expect(files).toEqual([{ name: 'etc/shadow', change: 'changed', lines: null }]);
  });

  it('tells files that came and went, and nothing of those that are the same', () => {
    const both = file('etc/config/system', 'config system\n');
    const gone = file('etc/config/a', 'config a');
    expect(backupDifference([both, gone], [both, file('etc/config/b', 'config b')], hide).files).toEqual([
      { name: 'etc/config/a', change: 'removed', lines: [{ is: '-', text: 'config a' }] },
      { name: 'etc/config/b', change: 'added', lines: [{ is: '+', text: 'config b' }] },
    ]);
    expect(backupDifference([both], [both], hide)).toEqual({ same: true, files: [], cut: false });
  });

  it('is cut where it is too long', () => {
    const long = Array.from({ length: 6_000 }, (_, line) => `option o${line} '1'`).join('\n');
    const { files, cut } = backupDifference([], [file('etc/config/long', long)], hide);
    expect([files[0]!.lines!.length, cut]).toEqual([5_000, true]);
  });
});

describe('the files of a backup', () => {
  it('are all named, and only settings are shown, without their secrets', () => {
    const wireless = file('etc/config/wireless', "config wifi\n\toption ssid 'one'\n\toption key 'a-secret'");
    const { files, cut } = backupContents([wireless, file('etc/shadow', 'root:$1$x$abc:')], hide);
    expect(cut).toBe(false);
    expect(files).toEqual([
      {
        name: 'etc/config/wireless',
        bytes: wireless.content.length,
        lines: ['config wifi', "\toption ssid 'one'", "\toption key '<8>'"],
      },
      { name: 'etc/shadow', bytes: 14, lines: null },
    ]);
  });

  it('are cut where they are too long', () => {
    const long = file('etc/config/long', 'x\n'.repeat(6_000));
    const { files, cut } = backupContents([long, file('etc/config/next', 'config next')], hide);
    expect([files.map(({ lines }) => lines!.length), cut]).toEqual([[5_000, 0], true]);
  });
});
