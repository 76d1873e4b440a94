import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Command } from 'commander';
import { ApiError, type ApiClient, type components } from '../../api-client/api-client.js';
import { unmarked } from '../../api-client/problem-words.js';
import { ownCommand, type OpenContext } from '../command.js';
import { type Context, type GlobalFlags } from '../context.js';
import { exitCodeOfError } from '../errors.js';
import { CommandFailure, EXIT, UsageError, type ExitCode } from '../exit-codes.js';
import { each } from '../output/rows.js';
import { readNamedFiles } from '../template-files/named-files.js';
import { bodyOf, givenValues, type StoredTemplate, type TemplateBody } from '../template-files/template-bodies.js';
import { differencesOf } from '../template-files/template-differences.js';
import { type FileProblem, readTemplates, type TemplateDocument } from '../template-files/template-documents.js';
import { byText, fileTemplateOf, textOf } from '../template-files/template-file.js';

/* `fleetgate template export`, `import`, `diff` and `plan`: templates as files of YAML, for Git and a pipeline. */

const FILES =
  'Files are YAML with one template or several, as `export` writes them; a folder stands for all in it, - is standard input.';
const DIFFERENT = 'The exit code is 3 where there are differences, and 0 where there are none.';
const HIDDEN_SELECTOR = '(not shown to you)';
const PROBLEMS_SHOWN = 50;

/** A draft with the version that a change of it must name. */
interface Draft {
  readonly template: StoredTemplate;
  readonly etag: string;
}

interface ExportFlags extends GlobalFlags {
  readonly to?: string;
}

export const exportCommand = (open: OpenContext): Command =>
  ownCommand<ExportFlags>(open, {
    words: 'export [template...]',
    summary: 'Writes drafts as YAML, the same bytes for the same templates; all when none is named',
    examples: ['fleetgate template export > templates.yaml', 'fleetgate template export base --to templates/'],
    more: 'Secrets are named by the label with which they were given. No file has a value of one, or anything made of it.',
    options: [['--to <folder>', 'a file for each template, such as base.yaml']],
    async run(context, { to }, ...named) {
      const api = await context.api();
      const all = named.length > 0 ? named : (await api.get('/v1/templates')).items.map(({ name }) => name);
      const drafts = [];
      for (const name of [...new Set(all)].sort(byText)) drafts.push((await draftOf(api, name)).template);
      const hidden = drafts.find(({ selector }) => selector === null);
      if (hidden)
        throw new CommandFailure(
          EXIT.notPermitted,
          `The selector of ${hidden.name} names devices that you may not see`,
        );
      const files = drafts.map((draft) => fileTemplateOf(draft));
      if (to === undefined) return context.out((await textOf(files)).replace(/\n$/, ''));
      await mkdir(to, { recursive: true });
      for (const file of files) await writeFile(path.join(to, `${file.name}.yaml`), await textOf([file]));
      context.say(`${files.length} templates in ${to}`);
    },
  });

export const diffCommand = (open: OpenContext): Command =>
  ownCommand(open, {
    words: 'diff <file...>',
    summary: 'Says what differs between files and the drafts of the installation, option by option',
    examples: ['fleetgate template diff templates/', 'fleetgate template diff base.yaml -o json'],
    more: `${FILES} ${DIFFERENT}`,
    async run(context, _flags, ...files) {
      const documents = await read(context, files);
      const api = await context.api();
      const rows = [];
      for (const { template } of documents)
        rows.push(...differencesOf(template, fileOf(await findDraft(api, template.name))));
      await context.rows(each(rows), ['template', 'section', 'field', 'installation', 'file']);
      if (rows.length > 0) context.endWith(EXIT.someFailed);
      else context.say(`${documents.length} templates are as the files say`);
      const named = new Set(documents.map(({ template }) => template.name));
      const others = (await api.get('/v1/templates')).items.filter(({ name }) => !named.has(name));
      if (others.length > 0) context.say(`In no file: ${others.map(({ name }) => name).join(', ')}`);
    },
  });

export const importCommand = (open: OpenContext): Command =>
  ownCommand(open, {
    words: 'import <file...>',
    summary: 'Makes and changes drafts by files; no router is changed, and nothing where one file is wrong',
    examples: ['fleetgate template import templates/', 'fleetgate template import base.yaml --dry-run'],
    more: `${FILES} A template that no file has stays as it is. What is in force changes by \`fleetgate template publish\`.`,
    changes: true,
    async run(context, { dryRun }, ...files) {
      const documents = await read(context, files);
      const api = await context.api();
      const changes = await judged(context, api, documents);
      const rows = [];
      for (const { document, draft, body, what } of changes) {
        if (!dryRun && what !== 'unchanged') await save(context, draft, body);
        rows.push({ template: body.name, what, file: document.file });
      }
      await context.rows(each(rows), ['template', 'what', 'file']);
      if (dryRun) context.say('Nothing was changed');
    },
  });

interface Change {
  readonly document: TemplateDocument;
  readonly draft: Draft | null;
  readonly body: TemplateBody;
  readonly what: 'created' | 'changed' | 'unchanged';
}

/** What is to be done, after the gateway has judged all of it. @throws CommandFailure where anything is wrong */
async function judged(context: Context, api: ApiClient, documents: readonly TemplateDocument[]): Promise<Change[]> {
  const given = await givenValues(api, documents);
  const changes: Change[] = [];
  const problems: FileProblem[] = [];
  let code: ExitCode = EXIT.usage;
  for (const document of documents) {
    const draft = await findDraft(api, document.template.name);
    const { body, problems: own } = bodyOf(document, draft?.template ?? null, given);
    problems.push(...own);
    const isSame = differencesOf(document.template, fileOf(draft)).length === 0;
    changes.push({ document, draft, body, what: draft === null ? 'created' : isSame ? 'unchanged' : 'changed' });
    if (own.length > 0 || isSame) continue;
    await save(context, draft, { ...body, dryRun: true }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status === 401 || error.status >= 500) throw error;
      if (problems.length === 0 && error.status !== 400) code = exitCodeOfError(error);
      problems.push(...refusalsOf(error, document));
    });
  }
  if (problems.length > 0) throw refused(context, problems, code);
  return changes;
}

/** By the ordinary routes, and only what was read: a draft that another person has changed since then stays. */
function save(context: Context, draft: Draft | null, body: TemplateBody): Promise<Response> {
  if (draft === null) return context.send('POST', '/v1/templates', { json: body });
  const address = `/v1/templates/${encodeURIComponent(draft.template.name)}`;
  return context.send('PUT', address, { json: body, headers: { 'if-match': draft.etag } });
}

function refusalsOf(error: ApiError, { file, lineOf }: TemplateDocument): FileProblem[] {
  const fields = error.pointers.map(({ pointer, detail }) => {
    const place = pointer.split('/').slice(2);
    const numbered = place.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    return { file, line: lineOf(numbered), text: `${place.join('.')}: ${unmarked(detail)}` };
  });
  const sentence = [error.title, error.detail].filter((part) => part !== null).join('. ');
  return fields.length > 0 ? fields : [{ file, line: lineOf(['name']), text: `${unmarked(sentence)} (${error.code})` }];
}

async function read(context: Context, files: readonly string[]): Promise<TemplateDocument[]> {
  const { documents, problems } = await readTemplates(await readNamedFiles(files, context.terminal.stdin));
  if (problems.length > 0) throw refused(context, problems, EXIT.usage);
  return documents;
}

function refused(context: Context, problems: readonly FileProblem[], code: ExitCode): CommandFailure {
  for (const { file, line, text } of problems.slice(0, PROBLEMS_SHOWN)) context.say(`${file}, line ${line}: ${text}`);
  if (problems.length > PROBLEMS_SHOWN) context.say(`and ${problems.length - PROBLEMS_SHOWN} more`);
  return new CommandFailure(code, 'Nothing was changed. Correct the files, and try again');
}

async function draftOf(api: ApiClient, templateName: string): Promise<Draft> {
  const { headers, body } = await api.answer('get', '/v1/templates/{templateName}', {
    params: { path: { templateName } },
  });
  return { template: body, etag: headers.get('etag')! };
}

/** null: there is none, or it is out of sight. */
async function findDraft(api: ApiClient, name: string): Promise<Draft | null> {
  return draftOf(api, name).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'template_not_found') return null;
    throw error;
  });
}

const fileOf = (draft: Draft | null) => (draft === null ? null : fileTemplateOf(draft.template, HIDDEN_SELECTOR));

const PLAN_COLUMNS = ['template', 'devices', 'inSync', 'changed', 'leftOut', 'overlaps'];

const counted = ({ leftOut, overlaps, ...plan }: components['schemas']['TemplatePlan']) => ({
  ...plan,
  leftOut: leftOut.reduce((sum, { devices }) => sum + devices, 0),
  overlaps: overlaps.length,
});

interface PlanFlags extends GlobalFlags {
  readonly selector?: string;
  readonly samples?: string;
}

export const planCommand = (open: OpenContext): Command =>
  ownCommand<PlanFlags>(open, {
    words: 'plan <template...>',
    summary: 'Says what drafts would change on which devices, who is left out and why; changes nothing',
    examples: ['fleetgate template plan base -l site:vilnius --samples 5', 'fleetgate template plan templates/'],
    more: `In the place of a template: a file or a folder, for the templates in it, which must be imported.\n${DIFFERENT}`,
    options: [
      ['-l, --selector <selector>', 'only these of their devices'],
      ['--samples <number>', 'how many devices to show option by option'],
    ],
    async run(context, { selector, samples }, ...named) {
      const api = await context.api();
      const files = named.filter((one) => /[./]|^-$/.test(one));
      const names = [...named.filter((one) => !files.includes(one)), ...(await imported(context, api, files))];
      const body = { ...(selector && { selector }), ...(samples !== undefined && { samples: samplesOf(samples) }) };
      const plans = [];
      for (const templateName of new Set(names))
        plans.push(await api.post('/v1/templates/{templateName}/plan', { params: { path: { templateName } }, body }));
      if (files.length === 0 && plans.length === 1) await context.object(plans[0]!);
      else await context.rows(each(context.isForPeople ? plans.map(counted) : plans), PLAN_COLUMNS);
      if (plans.some(({ changed }) => changed > 0)) context.endWith(EXIT.someFailed);
    },
  });

/** The names of the templates of files. @throws CommandFailure where the draft of one is another */
async function imported(context: Context, api: ApiClient, files: readonly string[]): Promise<string[]> {
  if (files.length === 0) return [];
  const documents = await read(context, files);
  for (const { file, template } of documents) {
    if (differencesOf(template, fileOf(await findDraft(api, template.name))).length > 0)
      throw new CommandFailure(
        EXIT.conflict,
        `${template.name} of ${file} is not the draft: fleetgate template import it first`,
      );
  }
  return documents.map(({ template }) => template.name);
}

function samplesOf(written: string): number {
  if (!/^\d{1,2}$/.test(written)) throw new UsageError('--samples is a number');
  return Number(written);
}
