/*
 * Every column with sealed values, for the rotation of data keys. A test compares this list with the schema: a missing
 * column would need the old key for ever. The migration that adds a column calls `fleetgate_sealed('<table>',
 * '<column>')`.
 */

export interface SealedColumn {
  readonly table: string;
  /** Begins with `sealed_`; `<column>_key` next to it names the data key. */
  readonly column: string;
  /** The uuid column that is the `rowId` of its values' locations. */
  readonly rowId: string;
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'device_account', column: 'sealed_password', rowId: 'id' },
  { table: 'device_account', column: 'sealed_pending', rowId: 'id' },
  { table: 'audit_log', column: 'sealed_key', rowId: 'id' },
  { table: 'operator_totp', column: 'sealed_seed', rowId: 'operator_id' },
  { table: 'idempotency_key', column: 'sealed_answer', rowId: 'id' },
  { table: 'webhook', column: 'sealed_secret', rowId: 'id' },
  { table: 'sealed_value', column: 'sealed_content', rowId: 'id' },
  { table: 'backup_account', column: 'sealed_password', rowId: 'id' },
  { table: 'fan_out', column: 'sealed_request', rowId: 'id' },
  { table: 'fan_out_answer', column: 'sealed_body', rowId: 'id' },
  { table: 'observed_body', column: 'sealed_body', rowId: 'id' },
  { table: 'discovery_credentials', column: 'sealed_password', rowId: 'id' },
];
