import { useAction } from '../../api/action.js';
import { api, type Schema } from '../../api/client.js';
import { useGo } from '../../ui/to.js';

interface JobToStart {
  /** The device, as the API takes it: an id, or `name:…`. */
  device: string;
  body: Schema<'StartJob'>;
  /** What to say when it has started. */
  done?: string;
  /** Nouns that are read again, beside jobs. */
  refreshes?: readonly string[];
  onClose: () => void;
  /** The form shows the error itself. */
  quiet?: boolean;
}

/** Starts a job on one device, closes the form, and opens the screen of the job. */
export function useStartJob({ device, body, done, refreshes = [], onClose, quiet = false }: JobToStart) {
  const go = useGo();
  return useAction({
    run: () => api.post('/v1/devices/{ref}/jobs', { params: { path: { ref: device } }, body }),
    done: done ?? 'Job started',
    refreshes: ['jobs', ...refreshes],
    after: ({ id }) => {
      onClose();
      go(`/jobs/${id}`);
    },
    quiet,
  });
}
