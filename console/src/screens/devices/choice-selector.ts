/* The selector of devices that were chosen one by one. Pure. */

export const selectorOfIds = (ids: Iterable<string>): string => [...ids].map((id) => `id:${id}`).join(OR);

/** Whether a selector names each of its devices: no other one matches it later. */
export const namesEach = (selector: string): boolean => selector.split(OR).every((term) => ID.test(term));

const OR = ' | ';
const ID = /^id[:=][\w-]+$/;
