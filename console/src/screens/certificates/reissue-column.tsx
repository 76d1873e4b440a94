import { type Schema } from '../../api/client.js';
import { type Column } from '../../ui/list-table.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { type ReissueOf, reissueOf } from './reissue.js';

type Certificate = Schema<'DeviceCertificate'>;

/** Issues the certificate of a row again, where the gateway can. */
export const reissueColumn = (open: (of: ReissueOf) => void): Column<Certificate> => ({
  title: '',
  cell: (certificate) => {
    const of = reissueOf(certificate);
    const label = `Reissue ${certificate.file} of ${certificate.deviceName}`;
    return (
      of && (
        <RowActions
          of={`${certificate.file} of ${certificate.deviceName}`}
          actions={[{ text: 'Reissue', label, onSelect: () => open(of) }]}
        />
      )
    );
  },
});
