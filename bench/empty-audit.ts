/* The table of `empty-audit-gateway.ts`, which the bench makes in the database of that gateway. */

/** As the owner of the database: the role of the application makes no tables. */
export const CREATE_EMPTY = `
  create table empty_audit (number bigint not null, kind smallint not null);
  grant insert on empty_audit to public`;

export const INSERT_EMPTY = {
  name: 'empty audit',
  text: 'insert into empty_audit select * from unnest($1::bigint[], $2::smallint[])',
};
