import { type Part } from './key-part.js';

/* What is read of people and their rights, of the audit, and of the installation. */

export const CONTROL_KEYS = {
  self: {
    all: ['self'],
  },
  system: {
    all: ['system'],
  },
  setup: {
    all: ['setup'],
  },
  operators: {
    all: ['operators'],
  },
  roles: {
    all: ['roles'],
  },
  approvals: {
    all: ['approvals'],
    attention: ['approvals', 'attention'],
    menu: ['approvals', 'menu'],
  },
  rights: {
    explained: (query: Part) => ['rights', query] as const,
    ofCall: (id: Part, method: Part, settled: Part) => ['rights', id, method, settled] as const,
  },
  keys: {
    list: (isAll: Part) => ['keys', isAll] as const,
  },
  locks: {
    all: ['locks'],
    inForce: ['locks', 'in-force'],
    names: (ids: Part, target: Part) => ['locks', 'names', ids, target] as const,
    devices: ['locks', 'devices'],
    ofWrites: ['locks', 'of-writes'],
  },
  oidc: {
    all: ['oidc'],
  },
  sessions: {
    list: (isAll: Part) => ['sessions', isAll] as const,
  },
  audit: {
    list: ['audit', 'list'],
    entry: (id: Part) => ['audit', 'entry', id] as const,
    log: ['audit', 'log'],
    lastVerification: ['audit', 'last verification'],
    all: ['audit'],
    before: (id: Part, before: Part) => ['audit', 'before', id, before] as const,
    of: (id: Part) => ['audit', 'of', id] as const,
    ofJob: (id: Part) => ['audit', 'of-job', id] as const,
    last: ['audit', 'last'],
  },
  webhooks: {
    deliveries: (id: Part) => ['webhooks', id, 'deliveries'] as const,
    lastDelivery: (id: Part) => ['webhooks', id, 'last-delivery'] as const,
    all: ['webhooks'],
    one: (id: Part) => ['webhooks', id] as const,
  },
  secrets: {
    all: ['secrets'],
  },
  settings: {
    all: ['settings'],
  },
} as const;
