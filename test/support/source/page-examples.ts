import { readFileSync } from 'node:fs';

/** The blocks of code of a page in one language, as one program. */
export function programOf(page: string, language: string): string {
  const blocks = [...readFileSync(page, 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))];
  return blocks.map(([, code]) => code!).join('\n');
}
