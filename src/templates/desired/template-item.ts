import { z } from 'zod';
import { isStorable } from '../../database/storable.js';
import { canonicalPath } from '../../device-api/contract.js';
import { configureSpec } from '../../jobs/kinds/configure/configure-spec.js';
import { unknownPlaceholders } from '../../rollouts/engine/device-values.js';

/*
 * What a template says of one section of a device. Ids of sections differ between routers, so a section is named by fields that
 * people give, such as `{ name: 'guest' }`. `has` sets the named options; `only` also removes the sections of its path that no
 * item of the template names; `absent` removes the section. Pure.
 */

/** As a guarded change: a device gets at most so many at once, and the others the next time. */
export const CHANGES_MAX = 32;

const text = z.string().max(4096).refine(isStorable, 'it has a character that cannot be stored');
const value = z.union([text, z.array(text).max(256)]);

const optionName = z.string().min(1).max(64).refine(isStorable, 'it has a character that cannot be stored');

/** A secret: a sealed value for all devices, or one that is made for each device. */
const sealedOption = z.union([
  z.strictObject({ option: optionName, valueId: z.uuid(), secret: z.string().min(1).max(200).optional() }),
  z.strictObject({ option: optionName, generate: z.int().min(12).max(128).describe('Characters') }),
]);

const EXAMPLE_VALUE_ID = '00000000-0000-4000-8000-000000000000';

/** A service whose configuration a template can say. */
export const templatePath = z
  .string()
  .max(300)
  .regex(/^\/api\/[A-Za-z0-9_/.-]+\/(?:config|global)$/, '/api/<service>/config or /api/<service>/global')
  .refine((path) => path === canonicalPath(path), 'a path without version')
  .describe('The service')
  .meta({ examples: ['/api/ntp/servers/config'] });

const itemFields = z.strictObject({
  path: templatePath,
  key: z
    .record(optionName, text.min(1))
    .default({})
    .describe('Fields that name the section; none for /global')
    .meta({ examples: [{ hostname: 'ntp.example.org' }] }),
  mode: z.enum(['has', 'only', 'absent']).default('has'),
  options: z
    .record(optionName, value)
    .default({})
    .describe('An empty text unsets an option')
    .meta({ examples: [{ enabled: '1' }] }),
  sealed: z.array(sealedOption).max(32).default([]),
});
export type TemplateItem = z.output<typeof itemFields>;

export const templateItem = itemFields.superRefine((item, context) => {
  for (const { at, message } of problemsOfItem(item)) context.addIssue({ code: 'custom', path: at, message });
});

interface Problem {
  readonly at: (string | number)[];
  readonly message: string;
}

export const isRecordPath = (path: string): boolean => path.endsWith('/global');

function problemsOfItem(item: TemplateItem): Problem[] {
  const { path, key, mode, options, sealed } = item;
  const problems: Problem[] = [];
  const refuse = (at: (string | number)[], message: string) => problems.push({ at, message });
  const hasKey = Object.keys(key).length > 0;
  const isRecord = isRecordPath(path);
  if (isRecord && hasKey) refuse(['key'], 'a path that ends in /global has one section, which needs no key');
  if (!isRecord && !hasKey) refuse(['key'], 'name the section by a field such as `name` or `id`');
  if (isRecord && mode !== 'has') refuse(['mode'], 'the section of a path that ends in /global is always there');
  const names = [...Object.keys(options), ...sealed.map(({ option }) => option)];
  if (mode === 'absent' && names.length > 0) refuse(['options'], 'a section that is absent has no options');
  if (isRecord && names.length === 0) refuse(['options'], 'it says nothing');
  for (const name of new Set(names)) {
    if (name === 'id' || name === '.type') refuse(['options', name], 'it is not an option');
    if (Object.hasOwn(key, name)) refuse(['options', name], 'it is a field of the key');
    if (names.indexOf(name) < names.lastIndexOf(name)) refuse(['options', name], 'it is named twice');
  }
  const unknown = unknownPlaceholders({ key, options });
  if (unknown.length > 0) refuse(['options'], `a device has no value ${unknown.join(', ')}`);
  const refusal = problems.length === 0 ? refusedChange(item) : null;
  if (refusal !== null) refuse(['path'], refusal);
  return problems;
}

/** Why the kind `configure` would refuse the change of an item: its path, or a secret in clear. */
function refusedChange({ path, key, mode, options, sealed }: TemplateItem): string | null {
  const example = isRecordPath(path) ? path : `${path}/example`;
  const action = mode === 'absent' ? ('delete' as const) : ('update' as const);
  // An item that only says that its section is there creates it; its other fields are judged in the same way.
  const { id: _id, ...fields } = key;
  const data = { ...fields, ...options, ...(action === 'update' ? { enabled: options['enabled'] ?? '1' } : {}) };
  const values = sealed.map(({ option }) => ({ option, valueId: EXAMPLE_VALUE_ID }));
  const named = values.filter(({ option }) => !Object.hasOwn(data, option));
  const change = action === 'delete' ? { action, path: example } : { action, path: example, data, sealed: named };
  const parsed = configureSpec.safeParse({ changes: [change] });
  return parsed.success ? null : parsed.error.issues[0]!.message;
}
