import { type ApiClient, type components } from '../../api-client/api-client.js';
import { type FileProblem, type TemplateDocument } from './template-documents.js';
import { type FileItem, itemKey } from './template-file.js';

/*
 * What the API takes for a template of a file. It names secrets by ids: a secret that the template has stays, and another one is the
 * value that was given with the label.
 */

export type StoredTemplate = components['schemas']['Template'];
export type TemplateBody = components['schemas']['SaveTemplate'];
type StoredSecret = StoredTemplate['items'][number]['sealed'][number];

/** Ids of the sealed values that operators gave, by their labels. */
export type GivenValues = ReadonlyMap<string, readonly string[]>;

/** @returns what was given by operators, and not made by jobs or for policies; nothing where no file names a secret */
export async function givenValues(api: ApiClient, documents: readonly TemplateDocument[]): Promise<GivenValues> {
  const given = new Map<string, string[]>();
  const isNamed = ({ sealed }: FileItem) => sealed.some(({ secret }) => secret !== undefined);
  if (!documents.some(({ template }) => template.items.some(isNamed))) return given;
  for await (const { id, label, jobId, policyId } of api.items('/v1/sealed-values')) {
    if (jobId === null && policyId === null) given.set(label, [...(given.get(label) ?? []), id]);
  }
  return given;
}

/** @param stored the template as it is; null for a new one */
export function bodyOf(
  { file, template, lineOf }: TemplateDocument,
  stored: StoredTemplate | null,
  given: GivenValues,
): { readonly body: TemplateBody; readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const known = new Map(stored?.items.map((item) => [itemKey(item), item.sealed]));
  const items = template.items.map((item, at) => ({
    ...item,
    options: { ...item.options },
    key: { ...item.key },
    sealed: item.sealed.map(({ option, secret, generate }, place) => {
      if (generate !== undefined) return { option, generate };
      const kept = known.get(itemKey(item))?.find((one) => one.option === option);
      const chosen = secretOf(option, secret, kept, given);
      if (typeof chosen !== 'string') return chosen;
      problems.push({ file, line: lineOf(['items', at, 'sealed', place]), text: `${option}: ${chosen}` });
      return { option, generate: 12 };
    }),
  }));
  return { body: { name: template.name, selector: template.selector, items }, problems };
}

/** @returns why there is none, as a text */
function secretOf(option: string, secret: string | undefined, kept: StoredSecret | undefined, given: GivenValues) {
  const valueId = kept?.valueId;
  if (valueId !== undefined && (secret === undefined || secret === kept?.secret))
    return { option, valueId, ...(kept?.secret === undefined ? {} : { secret: kept.secret }) };
  if (secret === undefined)
    return 'the installation has no secret here: give one with `fleetgate sealed-value give`, and write its label as `secret`';
  const [id, ...more] = given.get(secret) ?? [];
  if (id === undefined) return `no sealed value is called ${secret}: give it with \`fleetgate sealed-value give\``;
  if (more.length > 0)
    return `${more.length + 1} sealed values are called ${secret}: give it again under a name of its own`;
  return { option, valueId: id };
}
