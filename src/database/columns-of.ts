/** The values of rows, column by column: each is a parameter of `unnest`. */
export const columnsOf = <Row>(rows: readonly Row[], ...columns: [keyof Row, ...(keyof Row)[]]): unknown[][] =>
  columns.map((column) => rows.map((row) => row[column]));
