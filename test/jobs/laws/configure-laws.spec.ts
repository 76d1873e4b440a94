import { describeLaws } from '../../support/jobs/kind-laws.js';

const CHANGES = [
  { action: 'create', path: '/api/wireguard/config', data: { id: 'site', listen_port: '51999' } },
  { action: 'update', path: '/api/ntp/global', data: { interval: '7200' } },
  { action: 'delete', path: '/api/ntp/servers/config/2' },
];

describeLaws({
  kind: 'configure',
  spec: () => ({ changes: CHANGES }),
  once: ['create', 'update', 'delete'],
  isDone({ fleet }, index) {
    const { create = 0, update = 0, delete: removed = 0 } = fleet.ledger.summary(index).effects;
    return create === 1 && update === 1 && removed === 1;
  },
});
