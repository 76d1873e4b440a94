import { type FileItem, type FileSecret, type FileTemplate, itemKey, itemName } from './template-file.js';

/* What differs between a file and the template that the installation has, option by option. Secrets are their names. Pure. */

export interface TemplateDifference {
  readonly template: string;
  /** The section, such as `/api/ntp/servers/config hostname=ntp.example`; null: the template itself. */
  readonly section: string | null;
  /** null: the section, or the template, as a whole. */
  readonly field: string | null;
  /** null: it is not there. */
  readonly installation: string | string[] | null;
  readonly file: string | string[] | null;
}

type Values = Readonly<Record<string, string | string[]>>;

/** @param stored null: the installation does not have it */
export function differencesOf(file: FileTemplate, stored: FileTemplate | null): TemplateDifference[] {
  const template = file.name;
  if (stored === null) return [{ template, section: null, field: null, installation: null, file: 'a template' }];
  const selector = valueDifferences({ selector: file.selector }, { selector: stored.selector });
  return [
    ...selector.map((one) => ({ template, section: null, ...one })),
    ...itemDifferences(file, stored).map((one) => ({ template, ...one })),
  ];
}

function itemDifferences(file: FileTemplate, stored: FileTemplate): Omit<TemplateDifference, 'template'>[] {
  const known = new Map(stored.items.map((item) => [itemKey(item), item]));
  const named = new Map(file.items.map((item) => [itemKey(item), item]));
  const inFile = file.items.flatMap((item) => {
    const section = itemName(item);
    const other = known.get(itemKey(item));
    if (!other) return [{ section, field: null, installation: null, file: item.mode }];
    return valueDifferences(valuesOf(item, other), valuesOf(other)).map((one) => ({ section, ...one }));
  });
  const alone = stored.items.filter((item) => !named.has(itemKey(item)));
  return [
    ...inFile,
    ...alone.map((item) => ({ section: itemName(item), field: null, installation: item.mode, file: null })),
  ];
}

function valueDifferences(file: Values, stored: Values): Pick<TemplateDifference, 'field' | 'installation' | 'file'>[] {
  const names = new Set([...Object.keys(file), ...Object.keys(stored)]);
  const rows = [...names].map((field) => ({ field, installation: own(stored, field), file: own(file, field) }));
  return rows.filter((row) => JSON.stringify(row.installation) !== JSON.stringify(row.file));
}

const own = (values: Values, name: string) => (Object.hasOwn(values, name) ? values[name]! : null);

/** @param stored what a secret without a name stays as it is in */
function valuesOf({ mode, options, sealed }: FileItem, stored?: FileItem): Values {
  const kept = (option: string) => stored?.sealed.find((one) => one.option === option);
  const secrets = sealed.map((one) => [`sealed.${one.option}`, secretText(one, kept(one.option))]);
  const values = Object.entries(options).map(([name, value]) => [`options.${name}`, value]);
  return Object.fromEntries([['mode', mode], ...values, ...secrets]) as Values;
}

function secretText({ secret, generate }: FileSecret, kept?: FileSecret): string {
  if (generate !== undefined) return `made of ${generate} characters`;
  if (secret === undefined && kept && kept.generate === undefined) return secretText(kept);
  return secret === undefined ? 'a secret without a name' : `the secret ${secret}`;
}
