import { type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { tell } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';

/**
 * Reads a stored backup to its end: its digest must match, and its archive must open. A comparison with itself does both.
 * @param of which one it is, such as `of 28 Nov 2026, 02:47:12`
 */
export function VerifyBackup({ id, of }: { id: string; of: string }): ReactNode {
  const verify = useMutation({
    mutationFn: () => api.get('/v1/backups/diff', { params: { query: { a: id, b: id } } }),
  });
  return (
    <span role="status">
      {verify.isSuccess ? (
        <Mark tone="good">Opened, unaltered</Mark>
      ) : verify.isError ? (
        <Mark tone="bad">{tell(verify.error).title}</Mark>
      ) : (
        <Button
          kind="link"
          busy={verify.isPending}
          aria-label={`Verify the backup ${of}`}
          title="Reads it to its end now: its digest must match, and its archive must open"
          onClick={() => verify.mutate()}
        >
          {verify.isPending ? 'Reading …' : 'Verify'}
        </Button>
      )}
    </span>
  );
}
