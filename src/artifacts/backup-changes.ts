import { type DataSource } from 'typeorm';

/**
 * Whether backups have the same settings as the one before them of the same device, by what was found in them when they were
 * opened: the file itself differs each time, by the dates in it. The first one of a device, and one that was not opened, are absent.
 */
export async function sameSettingsOf(db: DataSource, artifactIds: readonly string[]): Promise<Map<string, boolean>> {
  const rows = await db.query<{ id: string; same: boolean }[]>(
    `select artifact.id, own.sha256 = before.sha256 as same
       from artifact
       join backup_content own on own.artifact_id = artifact.id
       join lateral (select older.id from artifact older
                      where older.device_id = artifact.device_id and older.kind = 'backup'
                        and older.created_at < artifact.created_at
                      order by older.created_at desc limit 1) as previous on true
       join backup_content before on before.artifact_id = previous.id
      where artifact.id = any ($1) and artifact.kind = 'backup' and own.sha256 is not null and before.sha256 is not null`,
    [artifactIds],
  );
  return new Map(rows.map(({ id, same }) => [id, same]));
}
