import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from '../../../ui/button.js';
import { Failure, Loading } from '../../../ui/messages.js';
import { Card } from '../../../ui/page.js';
import { keysQuery } from '../accounts.js';
import { IssueKey } from './issue-key.js';
import { KeyList } from './keys.js';

/** The keys with which programs act in the name of the reader. */
export function OwnKeys(): ReactNode {
  const { data, error, refetch } = useQuery(keysQuery(false));
  const [isIssuing, setIssuing] = useState(false);
  const keys = data?.items ?? [];
  return (
    <Card
      title="Your keys for programs"
      flush={keys.length > 0}
      actions={
        <Button icon="plus" onClick={() => setIssuing(true)}>
          Issue a key
        </Button>
      }
    >
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading />}
      {data && keys.length === 0 && (
        <p className="quiet">You have no keys: a program needs one to act in your name, such as the command line.</p>
      )}
      {keys.length > 0 && <KeyList keys={keys} />}
      {isIssuing && <IssueKey forOthers={false} onClose={() => setIssuing(false)} />}
    </Card>
  );
}
