import { describe, expect, it } from 'vitest';
import { hiding } from '../../src/secrets/secret-forms.js';

const SECRET = 'a/b+c d=é_secret~1';
const hide = hiding([{ secret: SECRET, username: 'fleet gate' }, { secret: 'code-123' }, { secret: 'short' }]);
const base64 = (text: string) => Buffer.from(text).toString('base64');
const FORM = 'a%2Fb%2Bc+d%3D%C3%A9%5Fsecret%7E1';

describe('a secret that a server repeats', () => {
  it.each<[string, string, string]>([
    ['as it is', `no: ${SECRET}!`, 'no: …!'],
    ['twice', `${SECRET} ${SECRET}`, '… …'],
    ['percent-encoded', encodeURIComponent(SECRET), '…'],
    ['percent-encoded in small letters', encodeURIComponent(SECRET).toLowerCase(), '…'],
    ['in a form', `client_secret=${new URLSearchParams({ '': SECRET }).toString().slice(1)}&a=b`, 'client_secret=…&a=b'],
    ['in a form of an OAuth client', FORM, '…'],
    ['as Basic authentication', `Basic ${base64(`fleet gate:${SECRET}`).replace(/=+$/, '')}`, 'Basic …'],
    ['as Basic authentication of an OAuth client', `Basic ${base64(`fleet+gate:${FORM}`).replace(/=+$/, '')} x`, 'Basic … x'],
    ['as Basic authentication for addresses', Buffer.from(`fleet gate:${SECRET}`).toString('base64url'), '…'],
    ['as percent-encoded Basic authentication', encodeURIComponent(base64(`fleet gate:${SECRET}`).replace(/=+$/, '')), '…'],
    ['at the end of a long text', 'x'.repeat(100_000) + SECRET, `${'x'.repeat(100_000)}…`],
    ['of another kind', 'the code code-123 is wrong', 'the code … is wrong'],
    ['that is short', 'a short one', 'a short one'],
    ['not at all', 'invalid_client', 'invalid_client'],
  ])('%s', (_what, text, shown) => {
    expect(hide(text)).toBe(shown);
  }); // prettier-ignore

  it('is hidden as a whole when a part of it is another secret', () => {
    expect(hiding([{ secret: 'secret' }, { secret: 'secret-of-more' }])('is secret-of-more')).toBe('is …');
  });

  it('has no form for a lone surrogate that stops the rest', () => {
    expect(hiding([{ secret: 'abcdef\ud800' }, { secret: 'ghijkl' }])('ghijkl')).toBe('…');
  });
});
