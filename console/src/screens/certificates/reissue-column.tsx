import { type Schema } from '../../api/client.js';
import { Button } from '../../ui/button.js';
import { type Column } from '../../ui/list-table.js';
import { type ReissueOf, reissueOf } from './reissue.js';

type Certificate = Schema<'DeviceCertificate'>;

/** Issues the certificate of a row again, where the gateway can. */
export const reissueColumn = (open: (of: ReissueOf) => void): Column<Certificate> => ({
  title: '',
  cell: (certificate) => {
    const of = reissueOf(certificate);
    return (
      of && (
        <span className="row end">
          <Button aria-label={`Reissue ${certificate.file} of ${certificate.deviceName}`} onClick={() => open(of)}>
            Reissue
          </Button>
        </span>
      )
    );
  },
});
