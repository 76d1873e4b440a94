import { PROJECT } from './project.js';

const script = (await import(new URL('scripts/document/inlined.mjs', PROJECT).href)) as { inlined: typeof inlined };

/** An OpenAPI document in which each shared answer, parameter, header, example and body is in the place of its reference. */
export const inlined: <T extends object>(document: T) => T = script.inlined;
