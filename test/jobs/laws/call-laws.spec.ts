import { describeLaws } from '../../support/jobs/kind-laws.js';

describeLaws({
  kind: 'call',
  spec: () => ({ method: 'POST', path: '/api/wireguard/config', data: { id: 'site', listen_port: '51820' } }),
  once: ['create'],
  isDone: ({ fleet }, index) => fleet.ledger.summary(index).effects['create'] === 1,
});
