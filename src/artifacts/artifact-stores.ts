import path from 'node:path';
import { type GatewayConfig } from '../platform/config.js';
import { FileArtifactStore, type ArtifactStore, type Quota } from './artifacts.js';

/** The store that the settings name: files under DATA_DIR, or a bucket. The client of buckets is loaded on demand: it takes 20 MB. */
export async function makeArtifactStore(config: GatewayConfig, quota?: Quota): Promise<ArtifactStore> {
  if (!config.ARTIFACT_S3_BUCKET) return new FileArtifactStore(path.join(config.DATA_DIR, 'artifacts'), quota);
  const { s3StoreOf } = await import('./artifacts-s3.js');
  return s3StoreOf(config.ARTIFACT_S3_ENDPOINT, config.ARTIFACT_S3_BUCKET, quota);
}
