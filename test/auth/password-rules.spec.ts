import { describe, expect, it } from 'vitest';
import { faultOf, normalPassword } from '../../src/auth/people/password-rules.js';

describe('a password', () => {
  it.each([
    'a lighthouse at noon',
    'correct horse battery staple',
    'Zufällige Wörter, aneinander',
    'гном за синей дверью',
    '🐙🐙🦑🐠🐡🦀🐬🐳🦈🐚🪸🐟',
    'x9!kLq2#vRt7',
    `${'long '.repeat(25)}ok`,
  ])('may be %j', async (password) => {
    expect(await faultOf(password, ['grace', 'fleetgate'])).toBeNull();
  });

  it.each([
    ['too short', 'elevenchars'],
    ['too long', 'ab cd'.repeat(26)],
    ['too short, however many bytes it has', '🐙🐙🐙🐙🐙🐙'],
    ['a common one', 'iloveyou1234'],
    ['a common one with figures and signs behind', 'Password!2026!!'],
    ['one letter again and again', 'aaaaaaaaaaaaaa'],
    ['a piece again and again', 'abc123abc123abc123'],
    ['figures alone', '192837465564738291'],
    ['the name with decoration', 'Grace-Hopper1906'],
    ['the name of the product with decoration', 'fleetgate2026!'],
  ])('is refused when it is %s', async (_what, password) => {
    expect(await faultOf(password, ['grace-hopper', 'fleetgate'])).toMatch(/^It /);
  });

  it('is the same however its letters are composed', () => {
    expect(normalPassword('Zu\u0308rich')).toBe(normalPassword('Z\u00fcrich'));
  });
});
