/*
 * What a public client sends, as data, and what it must find in the answers to work. The tables in `flows/` are written
 * from facts about these clients: endpoints, bodies, and the fields that they read with their types.
 */

/**
 * Fields that the client reads, by path in the answer: `data.token`, `data[].id`. Types: `text`, `number`, `whole`, `bool`,
 * `flag`, `list`, `object`, `map` (an object, or `[]` when it is empty), `any`, `none`; `a|b` is one of them, `a?` may be absent.
 */
export type Fields = Readonly<Record<string, string>>;

/** One request of a client. `{name}` in `send` and in texts of the body stands for a value of an earlier answer. */
export interface Step {
  /** Such as `GET /api/modems/status`. */
  readonly send: string;
  /** A body `{"data": …}`; absent: no body. */
  readonly data?: unknown;
  /** Another JSON body. */
  readonly json?: unknown;
  /** A form, as browsers send it. */
  readonly form?: Readonly<Record<string, string>>;
  /** A multipart body with this file, and fields beside it. */
  readonly file?: FileName;
  readonly fields?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without the token. */
  readonly open?: true;
  /** The status that the client needs; absent: what its `accepts` says. */
  readonly status?: number;
  /** The code of the refusal that the client reads; absent: the answer must be a success. */
  readonly code?: number;
  readonly has?: Fields;
  /** The client asks again until the answer has what it needs, for two seconds. */
  readonly polls?: true;
  /** Values for later steps of the flow, by path in the answer. */
  readonly save?: Readonly<Record<string, string>>;
}

/** `downloaded`: the bytes of the last answer that was no JSON. */
export type FileName = 'firmware' | 'text' | 'downloaded';

/** What a user of the client does: its requests in order. */
export interface Flow {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Requests after the flow, also after a failed one, with whatever answer: each flow finds the device as it was. */
  readonly cleanUp?: readonly Step[];
}

/** A public client. */
export interface PublicClient {
  readonly name: string;
  /** Where its login has user and password. */
  readonly login: 'top' | 'data';
  /** What it takes as success: `success: true` in the body, status 200, or any status from 200 to 299. */
  readonly accepts: 'body' | '200' | '2xx';
  /** It logs in and repeats a request at once when its token is dead; others fail that request. */
  readonly renews?: true;
  readonly headers?: Readonly<Record<string, string>>;
  readonly flows: readonly Flow[];
}

/** A flow of one request or several. */
export const flow = (name: string, ...steps: readonly Step[]): Flow => ({ name, steps });

/** A flow of one read. */
export const read = (path: string, has: Fields = {}): Flow => flow(`reads ${path}`, { send: `GET /api${path}`, has });

/** A flow of one action, whose answer must say success. */
export const act = (path: string, data?: unknown, has: Fields = {}): Flow =>
  flow(`does ${path}`, { send: `POST /api${path}`, ...(data === undefined ? {} : { data }), has });

/** The life of a section: what PN and PY do with each configuration service. */
export interface SectionLife {
  readonly path: string;
  /** Options of a new section. */
  readonly create: Readonly<Record<string, unknown>>;
  /** Options that are changed then. */
  readonly change: Readonly<Record<string, unknown>>;
  /** Options that are read back, with their types. */
  readonly has?: Fields;
  /** Whether the answer to a removal has the id; that of interfaces has not. */
  readonly namesRemoved?: false;
  /** Requests before and after, for sections of another section. */
  readonly before?: readonly Step[];
  readonly after?: readonly Step[];
}

/** Four flows: the list; a section by its id; several by list; and a read of one that does not exist. */
export function sectionFlows({
  path,
  create,
  change,
  has = {},
  namesRemoved,
  before = [],
  after = [],
}: SectionLife): readonly Flow[] {
  const at = `/api${path}`;
  const made = { send: `POST ${at}`, data: create, has: { 'data.id': 'text' }, save: { id: 'data.id' } };
  const fields = Object.fromEntries(Object.entries(has).map(([field, type]) => [`data.${field}`, type]));
  const name = path.replaceAll(/\{(\w+)\}/g, '…');
  const cleanUp = [{ send: `DELETE ${at}/{id}` }, ...after];
  return [
    { name: `lists ${name}`, steps: [...before, { send: `GET ${at}`, has: { data: 'list' } }], cleanUp },
    {
      name: `creates, reads, changes and deletes one of ${name}`,
      steps: [
        ...before,
        made,
        { send: `GET ${at}/{id}`, has: { 'data.id': 'text', ...fields } },
        { send: `PUT ${at}/{id}`, data: change, has: { 'data.id': 'text' } },
        { send: `DELETE ${at}/{id}`, has: namesRemoved === false ? {} : { 'data.id': 'text' } },
      ],
      cleanUp,
    },
    {
      name: `changes and deletes several of ${name} by list`,
      steps: [
        ...before,
        made,
        { send: `PUT ${at}`, data: [{ id: '{id}', ...change }], has: { 'data[].id': 'text' } },
        { send: `DELETE ${at}`, data: ['{id}'], has: namesRemoved === false ? {} : { 'data[].id': 'text' } },
      ],
      cleanUp,
    },
    {
      name: `is told that one of ${name} does not exist`,
      steps: [...before, { send: `GET ${at}/no_such_id`, status: 404, code: 113 }],
      cleanUp,
    },
  ];
}
