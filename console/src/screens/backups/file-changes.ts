import { wordsOfOption } from '../../../../src/device-api/words/dictionary.js';
import { type components } from '../../../../src/api-client/openapi.js';
import { type SideLine } from '../../ui/sides/side-line.js';
import { valueWords } from '../observed/value-words.js';

/* The lines that differ of a settings file, as settings with a value before and a value after. Pure. */

type Line = NonNullable<components['schemas']['BackupDiff']['files'][number]['lines']>[number];

interface Said {
  readonly what: string;
  readonly value: string;
}

/** Of settings as a router writes them, and of those in JSON. */
const OPTION = /^\s*(?:option|list)\s+['"]?([\w.-]+)['"]?\s+(\S.*)$/;
const FIELD = /^\s*"([\w.-]+)": (\S.*)$/;
const SECTION = /^\s*config\s+(\S+)(.*)$/;
/** It opens or closes what has lines of its own. */
const FRAME = /^[\s{}[\],]*$/;

const bare = (text: string): string => {
  const value = text.trim().replace(/,$/, '');
  return /^(['"]).*\1$/s.test(value) ? value.slice(1, -1) : value;
};

function saidIn(text: string, service: string): Said | null {
  const [, option, value] = OPTION.exec(text) ?? FIELD.exec(text) ?? [];
  if (option !== undefined && value !== undefined) {
    if (FRAME.test(value)) return null;
    return { what: wordsOfOption(service, option).title, value: valueWords(service, option, bare(value)) };
  }
  const [, type, name] = SECTION.exec(text) ?? [];
  if (type !== undefined)
    return { what: `Section ${[bare(type), bare(name ?? '')].filter(Boolean).join(' ')}`, value: 'there' };
  return FRAME.test(text) ? null : { what: 'Line', value: text.trim() };
}

/** `etc/config/ntp/servers` as the dictionary names it. */
export const serviceOf = (name: string): string => name.replace(/^(?:\.?\/)?etc\/config\//, '');

const NONE = 'not there';

/** Lines that were replaced have their new ones right after them: an option of both is one row. */
export function fileChanges(name: string, lines: readonly Line[]): readonly SideLine[] {
  const service = serviceOf(name);
  const rows: { what: string; one: string; other: string }[] = [];
  let run: (typeof rows)[number][] = [];
  let last: Line['is'] = '-';
  for (const { is, text } of lines) {
    if (is === '-' && last === '+') run = [];
    last = is;
    const said = saidIn(text, service);
    if (said === null) continue;
    const known = is === '+' ? run.find(({ what, other }) => what === said.what && other === NONE) : undefined;
    if (known) known.other = said.value;
    else
      rows.push(
        is === '-'
          ? { what: said.what, one: said.value, other: NONE }
          : { what: said.what, one: NONE, other: said.value },
      );
    if (is === '-') run.push(...(rows.length > 0 ? [rows.at(-1)!] : []));
  }
  return rows;
}
