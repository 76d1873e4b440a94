import { type Document, type Scalar } from 'yaml';
import { z } from 'zod';
import { UsageError } from '../exit-codes.js';
import { type NamedFile } from './named-files.js';
import { type FileTemplate } from './template-file.js';
import { excessIn } from './yaml-bounds.js';

/*
 * Templates out of YAML. A file is input from outside, so its size, the number of its templates, its depth and its aliases are
 * bounded. Each value is the text that stands there: `enabled: 1` is "1", and `no` is no boolean.
 */

const TEMPLATES_MAX = 1_000;

/** Of all aliases together, with what they repeat: a few lines could grow to gigabytes. */
const ALIASES_MAX = 100;

export interface FileProblem {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface TemplateDocument {
  readonly file: string;
  readonly template: FileTemplate;
  /** Of a value, or of what is nearest around it; from 1. */
  readonly lineOf: (place: readonly (string | number)[]) => number;
}

const text = z.string('a text is needed');
const secret = z.strictObject({
  option: text,
  secret: text.optional(),
  generate: z
    .string()
    .regex(/^\d{1,3}$/, 'a number of characters is needed')
    .transform(Number)
    .optional(),
});
const item = z.strictObject({
  path: text,
  key: z.record(text, text, 'fields and their values are needed').default({}),
  mode: z.enum(['has', 'only', 'absent'], 'one of has, only, absent').default('has'),
  options: z.record(text, z.union([text, z.array(text)], 'a text or a list of texts is needed')).default({}),
  sealed: z.array(secret, 'a list is needed').default([]),
});
const template = z.strictObject({
  name: text.regex(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'lower-case letters, digits, - and _'),
  selector: text,
  items: z.array(item, 'a list of items is needed'),
});

/**
 * Reads all templates of some files.
 * @returns the templates, and what is wrong: where there is a problem, nothing should be done
 * @throws UsageError when they are too many
 */
export async function readTemplates(files: readonly NamedFile[]) {
  const documents: TemplateDocument[] = [];
  const problems: FileProblem[] = [];
  for (const file of files) await readInto(file, documents, problems);
  if (documents.length > TEMPLATES_MAX) throw new UsageError(`These are more than ${TEMPLATES_MAX} templates`);
  return { documents, problems: [...problems, ...namedTwice(documents)] };
}

async function readInto({ file, content }: NamedFile, documents: TemplateDocument[], problems: FileProblem[]) {
  const refuse = (line: number, said: string) => problems.push({ file, line, text: said });
  const excess = await excessIn(content);
  if (excess) return refuse(excess.line, excess.text);
  const { parseAllDocuments, LineCounter } = await import('yaml');
  const lines = new LineCounter();
  const options = { schema: 'failsafe', resolveKnownTags: false, uniqueKeys: false, lineCounter: lines } as const;
  const parsed = parseAllDocuments(content, options);
  if (parsed.every(({ contents, errors }) => contents === null && errors.length === 0))
    return refuse(1, 'there is no template in it');
  for (const document of parsed) {
    const wrong = [...document.errors, ...document.warnings];
    for (const { linePos, message } of wrong.slice(0, 5)) refuse(linePos?.[0].line ?? 1, message.split('\n', 1)[0]!);
    if (wrong.length > 0) return;
    if (document.contents === null) continue;
    const lineOf = (place: readonly (string | number)[]) => lines.linePos(startOf(document, place)).line;
    const repeated = await repeatedIn(document);
    if (repeated) return refuse(lines.linePos(repeated.range![0]).line, `${String(repeated.value)} is there twice`);
    try {
      const read = template.safeParse(document.toJS({ maxAliasCount: ALIASES_MAX }));
      if (read.success) documents.push({ file, template: read.data, lineOf });
      else for (const issue of read.error.issues.slice(0, 5)) refuse(lineOf(placeOf(issue)), sentenceOf(issue));
    } catch (error) {
      refuse(lineOf([]), error instanceof Error ? error.message : String(error)); // aliases that grow, or name nothing
    }
  }
}

type Issue = z.core.$ZodIssue;

const placeOf = ({ path }: Issue): (string | number)[] =>
  path.map((part) => (typeof part === 'number' ? part : String(part)));

function sentenceOf(issue: Issue): string {
  const place = placeOf(issue).join('.');
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  const said =
    issue.code === 'unrecognized_keys' ? `a template has no ${issue.keys.join(', ')} there: remove it` : issue.message;
  return [place, isMissing ? 'it is missing' : said].filter((part) => part !== '').join(': ');
}

/** The offset of a value, or of what is around it. */
function startOf(document: Document, place: readonly (string | number)[]): number {
  for (let length = place.length; length > 0; length--) {
    const node = document.getIn(place.slice(0, length), true) as { range?: readonly number[] | null } | undefined;
    if (node?.range) return node.range[0]!;
  }
  return document.contents?.range?.[0] ?? 0;
}

/** The second of two equal fields: a reader would see one of them alone. `yaml` compares each with all before it. */
async function repeatedIn(document: Document): Promise<Scalar | null> {
  const { isScalar, visit } = await import('yaml');
  let repeated: Scalar | null = null;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        const name: unknown = isScalar(key) ? key.value : null;
        if (isScalar(key) && names.has(name)) repeated ??= key;
        names.add(name);
      }
    },
  });
  return repeated;
}

function namedTwice(documents: readonly TemplateDocument[]): FileProblem[] {
  const first = new Map<string, string>();
  return documents.flatMap(({ file, template: { name }, lineOf }) => {
    const other = first.get(name);
    first.set(name, other ?? file);
    return other === undefined
      ? []
      : [{ file, line: lineOf(['name']), text: `${other} has the template ${name}, too` }];
  });
}
