import { z } from 'zod';
import { addressOf } from './written-address.js';

/** One address in ASCII, as most servers take it. It has no sign that a header or a parameter could begin with. */
export const mailAddress = z
  .string()
  .max(254)
  .regex(
    /^[\w.+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}$/i,
    'must be a mail address such as ada@example.com',
  );

/** The server that takes mails. `smtps` is TLS from the first byte. */
export const smtpUrl = addressOf(/^smtps?$/, 'smtp://user:password@mail.example:587').refine((text) => {
  if (!URL.canParse(text)) return true;
  const { pathname, search, hash, hostname } = new URL(text);
  return hostname !== '' && ['', '/'].includes(pathname) && search === '' && hash === '';
}, 'must have a host and nothing behind its port');
