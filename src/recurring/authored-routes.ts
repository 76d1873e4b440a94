import { Body, Delete, Get, Headers, Param, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { type Principal } from '../auth/access/access.js';
import { CurrentActor, Endpoint, type EndpointInfo, type PermissionName } from '../http/endpoint.js';
import { readIfMatch, versioned } from '../http/etag.js';
import { type ErrorCode } from '../platform/errors.js';
import { type AuthoredService } from './authored.service.js';
import { type AuthoredNoun, type AuthoredRow } from './recurring.js';
import { shownRows } from './shown-rows.js';

/*
 * The five routes of rows with a selector that act in the name of their author: create, list, read, replace and remove. A controller
 * extends what `authoredRoutes` makes of the words and schemas of its noun, and says what its views have beside the row.
 */

type Words = Pick<EndpointInfo, 'summary' | 'description'>;

interface RoutesOf {
  readonly noun: AuthoredNoun;
  /** The parameter of the paths that names a row. */
  readonly param: string;
  /** What the parameter may be; absent: an id. */
  readonly name?: z.ZodType<string>;
  readonly permissions: { readonly read: PermissionName; readonly manage: PermissionName };
  readonly schemas: Readonly<Record<'input' | 'view' | 'list', z.ZodType>>;
  /** Codes with which a save is refused, beside those of the noun. */
  readonly refusals: readonly ErrorCode[];
  readonly words: Readonly<Record<'create' | 'list' | 'get' | 'replace' | 'remove', Words>>;
}

type SelectingRow = AuthoredRow & { readonly selector: string };

/** How a controller finds and shows its rows. */
abstract class AuthoredController<Row extends SelectingRow, Input extends { readonly name: string }> {
  protected abstract readonly rows: AuthoredService<Row, Input>;

  /** What views have beside the rows. */
  protected abstract details(rows: readonly Row[], reader: Principal): Promise<(row: Row) => object>;

  /** What the view of one row has, too. */
  protected async detailsOfOne(_row: Row, _reader: Principal): Promise<object> {
    return {};
  }

  /** The id of the row that a path names. */
  protected async idOf(named: string): Promise<string> {
    return named;
  }

  protected async views(rows: readonly Row[], reader: Principal) {
    const details = await this.details(rows, reader);
    const shown = await shownRows(rows, this.rows.authors, reader);
    return rows.map((row, at) => ({ ...shown[at]!, ...details(row) }));
  }

  protected async view(row: Row, reader: Principal) {
    const [view] = await this.views([row], reader);
    return versioned({ ...view!, ...(await this.detailsOfOne(row, reader)), version: row.version });
  }
}

/** @returns a class for a controller to extend */
// oxlint-disable-next-line max-lines-per-function -- a table, one entry for each route
export function authoredRoutes<Row extends SelectingRow, Input extends { readonly name: string }>(of: RoutesOf) {
  const { noun, param, name = z.uuid(), schemas, refusals, words } = of;
  const { read, manage } = of.permissions;
  const missing: ErrorCode = `${noun}_not_found`;
  const taken: ErrorCode = `${noun}_exists`;

  abstract class AuthoredRoutes extends AuthoredController<Row, Input> {
    @Post()
    @Endpoint({
      ...words.create,
      permission: manage,
      audit: `${noun}.create`,
      scans: false, // the selector is stored
      status: 201,
      answer: schemas.view,
      errors: [taken, 'too_many_saved', ...refusals],
    })
    async create(@Body({ schema: schemas.input }) body: Input, @CurrentActor() actor: Principal) {
      return this.view(await this.rows.create(body, actor), actor);
    }

    @Get()
    @Endpoint({ ...words.list, permission: read, scans: true, answer: schemas.list })
    async list(@CurrentActor() actor: Principal) {
      return { items: await this.views(await this.rows.list(), actor) };
    }

    @Get(`:${param}`)
    @Endpoint({
      ...words.get,
      etag: true,
      permission: read,
      scans: true,
      answer: schemas.view,
      errors: [missing],
    })
    async get(@Param(param, { schema: name }) named: string, @CurrentActor() actor: Principal) {
      return this.view(await this.rows.get(await this.idOf(named)), actor);
    }

    @Put(`:${param}`)
    @Endpoint({
      ...words.replace,
      etag: true,
      permission: manage,
      audit: `${noun}.change`,
      scans: false, // the selector is stored
      answer: schemas.view,
      errors: [missing, taken, 'version_changed', ...refusals],
    })
    async replace(
      @Param(param, { schema: name }) named: string,
      @Body({ schema: schemas.input }) body: Input,
      @Headers('if-match') ifMatch: string | undefined,
      @CurrentActor() actor: Principal,
    ) {
      const id = await this.idOf(named);
      return this.view(await this.rows.replace(id, body, readIfMatch(ifMatch), actor), actor);
    }

    @Delete(`:${param}`)
    @Endpoint({
      ...words.remove,
      permission: manage,
      audit: `${noun}.remove`,
      etag: true,
      status: 204,
      errors: [missing],
    })
    async remove(
      @Param(param, { schema: name }) named: string,
      @Headers('if-match') ifMatch: string | undefined,
      @CurrentActor() actor: Principal,
    ) {
      return this.rows.remove(await this.idOf(named), readIfMatch(ifMatch), actor);
    }
  }
  return AuthoredRoutes;
}
