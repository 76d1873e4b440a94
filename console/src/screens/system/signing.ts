/** An installation at which nothing happens signs nothing: only entries that wait for their checkpoint make it late. */
export const isSignedLate = ({ warnings }: { readonly warnings: readonly { readonly code: string }[] }): boolean =>
  warnings.some(({ code }) => code === 'audit_not_signed');
