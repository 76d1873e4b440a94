import { type Schema } from '../../api/client.js';
import { type Column } from '../../ui/list-table.js';
import { RowActions } from '../../ui/rows/row-actions.js';
import { reissueOf } from './reissue.js';

type Certificate = Schema<'DeviceCertificate'>;

/** Issues the certificate of a row again, where the gateway can. */
export const reissueColumn = (open: (certificate: Certificate) => void): Column<Certificate> => ({
  title: '',
  cell: (certificate) => {
    const label = `Reissue ${certificate.file} of ${certificate.deviceName}`;
    return (
      reissueOf(certificate) && (
        <RowActions
          of={`${certificate.file} of ${certificate.deviceName}`}
          actions={[{ text: 'Reissue', label, onSelect: () => open(certificate) }]}
        />
      )
    );
  },
});
