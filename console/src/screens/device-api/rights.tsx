import { useQuery } from '@tanstack/react-query';
import { type ReactNode } from 'react';
import { api, type Schema } from '../../api/client.js';
import { KEYS } from '../../api/keys/query-keys.js';
import { Failure } from '../../ui/messages.js';
import { Mark } from '../../ui/mark.js';
import { useSettled } from '../../ui/settled.js';
import { reasonText } from '../access/explaining/answer-text.js';
import css from './device-api.module.css';
import { type Method } from './operation.js';

interface RightsProps {
  device: Schema<'Device'>;
  method: Method;
  path: string;
}

/** Whether the caller may send this, and by which rule, before it is sent. */
export function Rights({ device, method, path }: RightsProps): ReactNode {
  const settled = useSettled(path.split('?')[0] ?? '');
  const { data, error } = useQuery({
    queryKey: KEYS.rights.ofCall(device.id, method, settled),
    queryFn: ({ signal }) =>
      api.get('/v1/rights/explain', { params: { query: { device: device.id, method, path: settled } }, signal }),
    enabled: settled.startsWith('/api/'),
    placeholderData: (previous) => previous,
  });
  if (error) return <Failure error={error} />;
  if (!data) return null;
  return (
    <p className={`small ${css.rights}`} role="status">
      <Mark tone={data.allowed ? 'good' : 'bad'}>{data.allowed ? 'You may send this' : 'You may not send this'}</Mark>
      <span className="quiet foreign">
        {reasonText(data.because)
          .replaceAll(/rule \d+ of the role /g, 'your role ')
          .replaceAll('`', '')}
      </span>
    </p>
  );
}
