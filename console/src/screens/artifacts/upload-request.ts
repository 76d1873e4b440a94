import { ApiError, ConnectionError, rememberRequestId, type Schema, unexpectedAnswer } from '../../api/client.js';
import { ownPath } from '../../api/own-path.js';

/*
 * An upload by XMLHttpRequest, since fetch does not tell how much of a body was sent. The fields of a form come before its
 * file: the gateway reads them first, and refuses a wrong one before it reads the bytes.
 */

export interface UploadFields {
  readonly kind: string;
  readonly name: string;
  readonly sha256?: string | undefined;
  readonly signature?: string | undefined;
}

/** @param onProgress is told the share that was sent, from 0 to 1 */
export function upload(
  file: File,
  fields: UploadFields,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<Schema<'Artifact'>> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value) form.append(name, value);
  form.append('file', file, fields.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total));
    request.addEventListener('load', () => {
      rememberRequestId(request.getResponseHeader('x-request-id'));
      const answer = readObject(request.responseText);
      if (request.status === 201 && answer) resolve(answer as unknown as Schema<'Artifact'>);
      else reject(refusal(request, answer));
    });
    request.addEventListener('error', () =>
      reject(new ConnectionError('network', 'The upload was interrupted', undefined)),
    );
    request.addEventListener('abort', () => reject(new Error('The upload was cancelled')));
    request.open('POST', ownPath('/v1/artifacts'));
    request.send(form);
  });
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function refusal({ status, responseText }: XMLHttpRequest, answer: Record<string, unknown> | null): ApiError {
  const code = answer?.['code'];
  return answer && typeof code === 'string'
    ? new ApiError(status, code, answer)
    : unexpectedAnswer(status, responseText);
}

/** WebCrypto takes the bytes as a whole; larger files are hashed by the gateway alone. */
const DIGEST_MAX_BYTES = 256 * 1024 * 1024;

/** The SHA-256 of a file; null for a large one, or where the page was not served securely. */
export async function digestOf(file: File): Promise<string | null> {
  if (file.size > DIGEST_MAX_BYTES || !globalThis.isSecureContext) return null;
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
