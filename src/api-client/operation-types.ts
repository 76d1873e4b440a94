import { type ParamsOption, type RequestBodyOption } from 'openapi-fetch';
import { type paths, type StreamLines } from './openapi.js';

/* The types of a request and of its answer, from the path and the method of an operation. */

export type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that have an operation with this method. */
export type PathsWith<Method extends Verb> = {
  [Path in keyof paths]: paths[Path] extends Record<Method, { responses: unknown }> ? Path : never;
}[keyof paths];

/** The declaration of an operation. */
export type OperationAt<Path extends keyof paths, Method extends Verb> = paths[Path][Method] & object;

/** What a request can have besides its path. */
type RequestOf<Operation> = ParamsOption<Operation> &
  RequestBodyOption<Operation> & {
    /** Further headers, such as `x-change-reason`. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Ends the request, and the waiting before it. */
    readonly signal?: AbortSignal;
  };

/** The arguments after the path: nothing is required where the operation requires nothing. */
export type RequestArguments<Operation> = [RequiredKeysOf<RequestOf<Operation>>] extends [never]
  ? [request?: RequestOf<Operation>]
  : [request: RequestOf<Operation>];

type RequiredKeysOf<Fields> = { [Key in keyof Fields]-?: undefined extends Fields[Key] ? never : Key }[keyof Fields];

/** The body of the answer to a request that succeeded; undefined where there is none. */
export type BodyOf<Operation> = Operation extends { responses: infer Answers }
  ? ContentOf<Answers[keyof Answers]>
  : never;

/** JSON where there is JSON; a stream of lines or a table of the same rows has to be asked for, with a method of its own. */
type ContentOf<OneAnswer> = OneAnswer extends { content: infer Contents }
  ? Contents extends { 'application/json': infer Json }
    ? Json
    : Contents[Exclude<keyof Contents, 'application/x-ndjson'>]
  : undefined;

/** An answer with what is beside its body, such as `ETag` and `Location`. */
export interface Answer<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** One page of a list. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The cursor of the next page; null on the last one. */
  readonly next: string | null;
}

/** The lists that come in pages. */
export type ListPaths = {
  [Path in PathsWith<'get'>]: BodyOf<OperationAt<Path, 'get'>> extends ListPage<unknown> ? Path : never;
}[PathsWith<'get'>];

/** A row of a list. */
export type ItemOf<Path extends ListPaths> =
  BodyOf<OperationAt<Path, 'get'>> extends ListPage<infer Item> ? Item : never;

/** A line of an answer that is NDJSON. */
export type LineOf<Path extends string, Method extends Verb> = `${Uppercase<Method>} ${Path}` extends keyof StreamLines
  ? StreamLines[`${Uppercase<Method>} ${Path}`]
  : never;

/** What a request can carry besides JSON. */
export type UploadContent = string | Uint8Array | Blob | FormData | ReadableStream<Uint8Array>;

export interface UploadOptions<Operation> {
  /** The media type of the content; absent for forms, which have their own. */
  readonly type?: string;
  readonly params?: Operation extends { parameters: infer Parameters } ? Partial<Parameters> : never;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface RawRequest {
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly content?: UploadContent;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A request whose types were checked. */
export interface CheckedRequest {
  readonly params?: { readonly query?: object; readonly header?: Readonly<Record<string, unknown>> };
  readonly body?: unknown;
  readonly bodySerializer?: (body: unknown) => unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}
