import { readFile } from 'node:fs/promises';
import { type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { UsageError } from '../exit-codes.js';

/** Aliases in YAML can grow without bounds; a document of a person has few. */
const ALIASES_MAX = 100;

/**
 * Reads a document as JSON or YAML.
 * @param file its path; `-` is standard input
 * @throws UsageError when it is neither
 */
export async function readDocument(file: string, stdin: Readable): Promise<unknown> {
  const content = file === '-' ? await text(stdin) : await readFile(file, 'utf8');
  const { parse } = await import('yaml');
  try {
    return parse(content, { maxAliasCount: ALIASES_MAX }) as unknown;
  } catch (error) {
    throw new UsageError(
      `${file} is neither JSON nor YAML: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`,
    );
  }
}
