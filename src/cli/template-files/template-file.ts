import { type components } from '../../api-client/api-client.js';

/*
 * A template as a file has it: the same bytes for the same template, whatever made it. Items and options are sorted, since their
 * order means nothing to a device. A secret is named, and neither its value nor anything made of it is here. Pure.
 */

export interface FileSecret {
  readonly option: string;
  /** The label with which it was given. Without it, and without `generate`: the secret that the template has there. */
  readonly secret?: string | undefined;
  readonly generate?: number | undefined;
}

export interface FileItem {
  readonly path: string;
  readonly key: Readonly<Record<string, string>>;
  readonly mode: 'has' | 'only' | 'absent';
  readonly options: Readonly<Record<string, string | string[]>>;
  readonly sealed: readonly FileSecret[];
}

export interface FileTemplate {
  readonly name: string;
  readonly selector: string;
  readonly items: readonly FileItem[];
}

type StoredTemplate = components['schemas']['Template'];

/** @param selector what stands for one that the reader may not see */
export const fileTemplateOf = ({ name, items, ...stored }: StoredTemplate, selector = ''): FileTemplate => ({
  name,
  selector: stored.selector ?? selector,
  items: items.map((item) => ({
    ...item,
    sealed: item.sealed.map(({ option, secret, generate }) => ({ option, secret, generate })),
  })),
});

/** Templates as the text of one file, a document for each. */
export async function textOf(templates: readonly FileTemplate[]): Promise<string> {
  const { stringify } = await import('yaml');
  return templates.map((template) => stringify(written(template), { lineWidth: 0 })).join('---\n');
}

/** Names a section of a service, such as `/api/ntp/servers/config hostname=ntp.example`. */
export function itemName({ path, key }: Pick<FileItem, 'path' | 'key'>): string {
  const fields = Object.entries(sorted(key)).map(([name, value]) => `${name}=${value}`);
  return [path, ...fields].join(' ');
}

/** What tells one item from another: two of a template may not be equal in it. */
export const itemKey = ({ path, key }: Pick<FileItem, 'path' | 'key'>): string => JSON.stringify([path, sorted(key)]);

/** What has its default is left out, and so is what says nothing. */
function written({ name, selector, items }: FileTemplate): object {
  const ordered = items.toSorted((one, other) => byText(itemKey(one), itemKey(other)));
  const shown = ordered.map(({ path, key, mode, options, sealed }) => ({
    path,
    ...unlessEmpty('key', sorted(key)),
    ...(mode === 'has' ? {} : { mode }),
    ...unlessEmpty('options', sorted(options)),
    ...unlessEmpty('sealed', sealed.toSorted((one, other) => byText(one.option, other.option)).map(writtenSecret)),
  }));
  return { name, selector, items: shown };
}

const writtenSecret = ({ option, secret, generate }: FileSecret): object => ({
  option,
  ...(secret === undefined ? {} : { secret }),
  ...(generate === undefined ? {} : { generate }),
});

const unlessEmpty = (name: string, value: object): object => (Object.keys(value).length === 0 ? {} : { [name]: value });

const sorted = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => byText(one, other)));

/** By code units, so that the order is the same on every machine. */
export const byText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
