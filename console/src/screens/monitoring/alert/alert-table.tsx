import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Schema } from '../../../api/client.js';
import { type List } from '../../../api/lists.js';
import { useMay } from '../../../api/may.js';
import { ListTable } from '../../../ui/list-table.js';
import { useOpenGroups } from '../../../ui/rows/group-button.js';
import { Acknowledge } from '../acknowledge.js';
import { MuteForm } from '../mute-form.js';
import { remedyOf } from '../shown/remedies.js';
import { rulesQuery } from '../shown/rules-query.js';
import { useQuickMute } from '../use-quick-mute.js';
import { alertColumns } from './alert-columns.js';
import { alertLines, type AlertLine } from './alert-groups.js';

type Alert = Schema<'Alert'>;

interface AlertTableProps {
  label: string;
  list: List<Alert>;
  /** Whether those of one rule are one row that opens to them. */
  isJoined: boolean;
  /** On the page of the device itself. */
  ofDevice?: boolean;
  empty: ReactNode;
}

/** Alerts with what a person can do about each. */
export function AlertTable({ label, list, isJoined, ofDevice = false, empty }: AlertTableProps): ReactNode {
  const mayAcknowledge = useMay('alert.acknowledge');
  const mayMute = useMay('monitoring.manage');
  const [acknowledged, setAcknowledged] = useState<readonly Alert[] | null>(null);
  const [muted, setMuted] = useState<Alert | null>(null);
  const quick = useQuickMute();
  const rules = useQuery({ ...rulesQuery, enabled: useMay('monitoring.read') }).data?.items ?? [];
  const selectors = new Map(rules.map(({ id, selector }) => [id, selector]));
  const [open, toggle] = useOpenGroups();
  const columns = alertColumns({
    acknowledge: mayAcknowledge ? setAcknowledged : null,
    mute: mayMute ? setMuted : null,
    quick: quick.mutate,
    remedy: ({ ruleId, deviceId }) => remedyOf(selectors.get(ruleId), deviceId),
    devicesOf: (ruleId) => selectors.get(ruleId) ?? null,
    open,
    toggle,
  });
  const rows = isJoined ? alertLines(list.rows, open) : list.rows.map(alone);
  return (
    <>
      <ListTable
        label={label}
        list={{ ...list, rows }}
        columns={ofDevice ? columns.filter(({ title }) => title !== 'Device') : columns}
        rowKey={({ key }) => key}
        empty={empty}
      />
      {acknowledged && <Acknowledge alerts={acknowledged} onClose={() => setAcknowledged(null)} />}
      {muted && <MuteForm alert={muted} onClose={() => setMuted(null)} />}
    </>
  );
}

const alone = (alert: Alert): AlertLine => ({ key: alert.id, alert, group: null, isInside: false });
