/* Short ways to write options of a declaration. */
import type { z } from 'zod';
import type { serviceDeclaration } from '../service-declaration.js';

type DeclarationInput = z.input<typeof serviceDeclaration>;
export type DeclarationInputs = readonly DeclarationInput[];
export type DeclaredOptions = DeclarationInput['options'];

/** Of a service whose sections only the device makes and removes. */
export const FIXED = { creatable: false, deletable: false } as const;

export const flag = (on = '0') => ({ type: 'flag', default: on }) as const;
export const text = (max = 128) => ({ type: 'text', max }) as const;
export const choice = (values: string[], first = values[0]) => ({ type: 'enum', values, default: first }) as const;
export const number = (min: number, max: number, usual?: number) =>
  ({ type: 'integer', min, max, ...(usual === undefined ? {} : { default: String(usual) }) }) as const;
export const file = { type: 'file', max: 256 } as const;
const secret = { type: 'text', max: 256, secret: true } as const;

const each = (names: string, option: DeclaredOptions[string]): DeclaredOptions =>
  Object.fromEntries(names.split(' ').map((name) => [name, option]));

/** Options by their names, which spaces separate: texts, flags that are not set, lists of texts, secrets, files. */
export const texts = (names: string): DeclaredOptions => each(names, { type: 'text', max: 512 });
export const flags = (names: string): DeclaredOptions => each(names, { type: 'flag' });
export const lists = (names: string): DeclaredOptions => each(names, { type: 'text', max: 256, list: true });
export const secrets = (names: string): DeclaredOptions => each(names, secret);
export const files = (names: string): DeclaredOptions => each(names, file);
