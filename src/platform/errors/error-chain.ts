/*
 * The causes of an error as one text, for logs. Some libraries put the reason into a property of their error and leave
 * the message general: OAuth clients (`error`, `error_description`), the client of S3 (`name`, `$metadata`), a
 * connection to several addresses (`errors`). Pure.
 */

/** A chain may be a circle. */
const LINKS_MAX = 10;

/** A provider's or server's own words. */
const TEXT_LENGTH_MAX = 200;

/** Most errors of one connection are the same. */
const ERRORS_MAX = 4;

interface DetailedError extends Error {
  readonly error?: unknown;
  readonly error_description?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

/** Cuts a text. */
type TextCutter = (text: string) => string;

/**
 * "a: b: c": the full chain of causes, each message once, with the reasons that stand in properties.
 * @param hide removes secrets from a text. It gets each one before it is cut: the rest of a secret would not be recognised.
 */
export function errorChain(error: unknown, hide: (text: string) => string = (text) => text): string {
  const short: TextCutter = (text) =>
    hide(text)
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, TEXT_LENGTH_MAX);
  const links: string[] = [];
  let link: unknown = error;
  for (let depth = 0; depth < LINKS_MAX && link !== undefined && link !== null; depth++) {
    const text = hide(link instanceof Error ? wordsOf(link, short) : wordsOfAnswer(link, short));
    if (text !== '' && !links.includes(text)) links.push(text);
    link = link instanceof Error ? link.cause : undefined;
  }
  return links.join(': ') || hide(String(error));
}

function wordsOf(error: DetailedError, short: TextCutter): string {
  // A parser's message repeats its input, which may be a token.
  const message = error instanceof SyntaxError ? 'what was read is not valid' : error.message;
  const details = [oauthReason(error, short), s3Reason(error, short), ...innerReasons(error, short)].filter(
    (text) => text !== '',
  );
  const words = message === '' && details.length === 0 ? codeOf(error) : message;
  return details.length === 0 ? words : `${words}${words === '' ? '' : ' '}(${details.join('; ')})`;
}

/** RFC 6749, sections 4.1.2.1 and 5.2. */
function oauthReason({ error, error_description: description, status }: DetailedError, short: TextCutter): string {
  if (typeof error !== 'string') return '';
  const said = typeof description === 'string' && description !== '' ? `: ${short(description)}` : '';
  return `${short(error)}${said}${typeof status === 'number' ? `, HTTP ${status}` : ''}`;
}

/** The code of S3 is the name of the error. A bare `HEAD` has no code, only a status. */
function s3Reason({ name, message, $metadata }: DetailedError, short: TextCutter): string {
  const status = $metadata?.httpStatusCode;
  if (typeof $metadata !== 'object') return '';
  const code = name === message || name === 'Error' ? '' : short(name);
  return [code, typeof status === 'number' ? `HTTP ${status}` : ''].filter((text) => text !== '').join(', ');
}

function innerReasons({ errors }: DetailedError, short: TextCutter): string[] {
  if (!Array.isArray(errors)) return [];
  const texts = errors.map((one) => (one instanceof Error ? short(one.message) : ''));
  return [...new Set(texts)].filter((text) => text !== '').slice(0, ERRORS_MAX);
}

const codeOf = ({ code, name }: DetailedError): string =>
  typeof code === 'string' ? code : name === 'Error' ? '' : name;

/** A cause that is no error: an answer, or the challenges of `WWW-Authenticate` (RFC 6750, section 3). */
function wordsOfAnswer(cause: unknown, short: TextCutter): string {
  if (cause instanceof Response) return `HTTP ${cause.status}`;
  if (!Array.isArray(cause)) return '';
  return cause
    .slice(0, ERRORS_MAX)
    .flatMap((challenge: unknown) => {
      const { parameters } = (challenge ?? {}) as { readonly parameters?: DetailedError };
      const reason = parameters && typeof parameters === 'object' ? oauthReason(parameters, short) : '';
      return reason === '' ? [] : [reason];
    })
    .join('; ');
}
