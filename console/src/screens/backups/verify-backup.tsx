import { type ReactNode } from 'react';
import { useMutation } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { tell } from '../../api/problems.js';
import { Button } from '../../ui/button.js';
import { Mark } from '../../ui/mark.js';

/** Reads a stored backup to its end: its digest must match, and its archive must open. A comparison with itself does both. */
export function VerifyBackup({ id }: { id: string }): ReactNode {
  const verify = useMutation({
    mutationFn: () => api.get('/v1/backups/diff', { params: { query: { a: id, b: id } } }),
  });
  return (
    <span role="status">
      {verify.isSuccess ? (
        <Mark tone="good">Readable</Mark>
      ) : verify.isError ? (
        <Mark tone="bad">{tell(verify.error).title}</Mark>
      ) : (
        <Button kind="quiet" busy={verify.isPending} onClick={() => verify.mutate()}>
          Verify
        </Button>
      )}
    </span>
  );
}
