/*
 * Hides secrets of a request in what its receiver answers: some servers repeat what they got, as it was sent or decoded.
 * Pure.
 */

/** Shorter values, such as a client secret of a test set-up, occur in any text. */
const SECRET_LENGTH_MIN = 6;

/** A secret, and the user name with which it is sent as Basic authentication, if it is. */
export interface SentSecret {
  readonly secret: string;
  readonly username?: string;
}

/**
 * @param secrets in any order; short ones are not hidden
 * @returns a function that hides them in a text of any length: as they are, percent-encoded, and in Basic authentication
 */
export function hiding(secrets: readonly SentSecret[]): (text: string) => string {
  const long = secrets.filter(({ secret }) => secret.length >= SECRET_LENGTH_MIN);
  // The longest first: a part of a form may be a form of another secret.
  const forms = [...new Set(long.flatMap(formsOf))].sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((shown, form) => shown.replaceAll(form, '…'), text);
}

function formsOf({ secret, username }: SentSecret): string[] {
  const pairs = username === undefined ? [] : [`${username}:${secret}`, `${formOf(username)}:${formOf(secret)}`];
  const encoded = pairs.flatMap((pair) => {
    const bytes = Buffer.from(pair);
    return [bytes.toString('base64').replace(/={1,2}$/, ''), bytes.toString('base64url')];
  });
  const written = [secret, ...encoded];
  const percent = written.flatMap((text) => [
    encodeURIComponent(text.toWellFormed()),
    new URLSearchParams({ '': text }).toString().slice(1),
    formOf(text),
  ]);
  return [
    ...written,
    ...percent,
    ...percent.map((text) => text.replaceAll(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase())),
  ];
}

/** As OAuth clients encode name and secret before Basic authentication (RFC 6749, appendix B): letters and digits remain. */
function formOf(text: string): string {
  const escaped = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed())
    .replaceAll('%20', '+')
    .replaceAll(/[-_.!~*'()]/g, escaped);
}
