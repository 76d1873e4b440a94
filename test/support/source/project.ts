import { pathToFileURL } from 'node:url';

/** The folder of the project, as the address of a folder: tests run compiled, elsewhere than where they are written. */
export const PROJECT = pathToFileURL(`${process.cwd()}/`);
