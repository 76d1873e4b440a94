import { describe, expect, it } from 'vitest';
import { S3ServiceException } from '@aws-sdk/client-s3';
import { AppError } from '../../src/platform/errors.js';
import { errorChain } from '../../src/platform/errors/error-chain.js';

/* The reason of an error, wherever its library has put it. */

const error = (message: string, properties: object = {}, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), properties);

const circle = error('a');
circle.cause = error('b', {}, circle);

const s3 = (name: string, message: string, httpStatusCode: number) =>
  new S3ServiceException({ name, message, $fault: 'client', $metadata: { httpStatusCode } });

const CASES: readonly [what: string, error: unknown, text: string][] = [
  [
    'causes, each once',
    new AppError(
      'database_unavailable',
      {},
      { cause: error('connect ECONNREFUSED', {}, error('connect ECONNREFUSED')) },
    ),
    'The gateway cannot reach the database: connect ECONNREFUSED',
  ],
  ['a circle', circle, 'a: b'],
  ['what is no error', 'text', 'text'],
  ['nothing', undefined, 'undefined'],
  ['a code alone', error('', { code: 'ECONNREFUSED' }), 'ECONNREFUSED'],
  [
    'several addresses',
    Object.assign(
      new AggregateError([error('connect ECONNREFUSED ::1:9'), error('connect ECONNREFUSED 127.0.0.1:9')], ''),
      {
        code: 'ECONNREFUSED',
      },
    ),
    '(connect ECONNREFUSED ::1:9; connect ECONNREFUSED 127.0.0.1:9)',
  ],
  [
    'the body of a token endpoint',
    error('server responded with an error', {
      error: 'invalid_client',
      error_description: 'no such client',
      status: 401,
    }),
    'server responded with an error (invalid_client: no such client, HTTP 401)',
  ],
  ['the answer of an authorization', error('is an error', { error: 'access_denied' }), 'is an error (access_denied)'],
  [
    'control characters in a description',
    error('e', { error: 'a\nb', error_description: '\u001b[2Jx' }),
    'e (a b:  [2Jx)',
  ],
  ['a long description', error('e', { error: 'a', error_description: 'x'.repeat(9_999) }), `e (a: ${'x'.repeat(200)})`],
  [
    'a challenge',
    error('challenge', {}, [
      { scheme: 'bearer', parameters: { error: 'invalid_token', error_description: 'expired' } },
    ]),
    'challenge: invalid_token: expired',
  ],
  ['an odd challenge', error('challenge', {}, [null, 1, { parameters: 'x' }]), 'challenge'],
  ['an answer', error('unexpected status', {}, new Response(null, { status: 502 })), 'unexpected status: HTTP 502'],
  [
    'a parser, whose words repeat the input',
    error('e', {}, new SyntaxError('"hunter2" is not JSON')),
    'e: what was read is not valid',
  ],
  [
    'a refusal of S3',
    s3('NoSuchBucket', 'The bucket does not exist', 404),
    'The bucket does not exist (NoSuchBucket, HTTP 404)',
  ],
  ['a bare status of S3', s3('403', '403', 403), '403 (HTTP 403)'],
  ['an unknown error of S3', s3('AccessDenied', 'UnknownError', 403), 'UnknownError (AccessDenied, HTTP 403)'],
];

describe('the chain of an error', () => {
  const SECRET = 'planted-secret';
  const hide = (text: string) => text.replaceAll(SECRET, '…');
  const across = `${'x'.repeat(195)}${SECRET}`;

  it.each<[string, unknown]>([
    ['a message', error(across)],
    ['a cause', error('e', {}, error(across))],
    ['an error of OAuth', error('e', { error: across })],
    ['a description of OAuth', error('e', { error: 'odd', error_description: across })],
    ['a status of OAuth', error('e', { error: 'odd', error_description: across, status: 400 })],
    ['a challenge', error('e', {}, [{ parameters: { error: 'odd', error_description: across } }])],
    ['an error of several', error('e', { errors: [error('one'), error(across)] })],
    ['a code of S3', s3(across, 'refused', 400)],
    ['a message of S3', s3('Odd', across, 400)],
    ['what is no error', across],
    ['a code', error('', { code: across })],
    ['a long message', error('y'.repeat(5_000) + across)],
  ])('has no part of a secret across the cut: %s', (_what, thrown) => {
    expect(errorChain(thrown, hide)).not.toContain(SECRET.slice(0, 5));
    expect(errorChain(thrown)).toContain(SECRET.slice(0, 5));
  });

  it.each(CASES)('has the reason of %s', (_what, thrown, text) => expect(errorChain(thrown)).toBe(text));
});
