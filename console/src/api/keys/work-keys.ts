import { type Part } from './key-part.js';

/* What is read of jobs, rollouts and bulk queries, and of what is stored. */

export const WORK_KEYS = {
  fanOuts: {
    lastActs: ['fan-outs', 'last-acts'],
    all: ['fan-outs'],
  },
  artifacts: {
    list: ['artifacts', 'list'],
    one: (id: Part) => ['artifacts', 'one', id] as const,
    usage: ['artifacts', 'usage'],
    backups: ['artifacts', 'backups'],
    of: (id: Part) => ['artifacts', 'of', id] as const,
    newestOf: (id: Part) => ['artifacts', 'newest-of', id] as const,
    firmware: ['artifacts', 'firmware'],
    ofJobs: ['artifacts', 'of-jobs'],
  },
  digest: {
    one: (name: Part, size: Part, lastModified: Part) => ['digest', name, size, lastModified] as const,
  },
  rollouts: {
    ofArtifact: ['rollouts', 'of-artifact'],
    ofJob: (id: Part) => ['rollouts', 'of-job', id] as const,
    newest: ['rollouts', 'newest'],
    running: ['rollouts', 'running'],
    ofMissing: ['rollouts', 'of-missing'],
    all: ['rollouts'],
    calendar: ['rollouts', 'calendar'],
    menu: ['rollouts', 'menu'],
    palette: ['rollouts', 'palette'],
    names: ['rollouts', 'names'],
  },
  schedules: {
    all: ['schedules'],
    runs: ['schedules', 'runs'],
    nextRuns: (cron: Part, zone: Part) => ['schedules', 'next-runs', cron, zone] as const,
  },
  backupContents: {
    one: (id: Part) => ['backup-contents', id] as const,
  },
  backups: {
    coverage: ['backups', 'coverage'],
    counts: (query: Part) => ['backups', 'counts', query] as const,
    choices: ['backups', 'choices'],
    policies: ['backups', 'policies'],
    next: (id: Part) => ['backups', 'next', id] as const,
    policiesRuns: ['backups', 'policies', 'runs'],
  },
  difference: {
    one: (a: Part, b: Part) => ['difference', a, b] as const,
  },
  jobs: {
    failed: ['jobs', 'failed'],
    failedBackups: ['jobs', 'failed-backups'],
    marksOf: (id: Part) => ['jobs', 'of', id, 'marks'] as const,
    of: (id: Part) => ['jobs', 'of', id] as const,
    all: ['jobs'],
    attention: ['jobs', 'attention'],
    calendar: ['jobs', 'calendar'],
    ofPolicies: ['jobs', 'of-policies'],
    running: ['jobs', 'running'],
    menu: ['jobs', 'menu'],
    goodOf: (id: Part, kind: Part) => ['jobs', 'of', id, 'good', kind] as const,
    newestOf: (kind: Part) => ['jobs', 'newest', kind] as const,
  },
  file: {
    one: (name: Part, size: Part, lastModified: Part) => ['file', name, size, lastModified] as const,
  },
  fanOut: {
    answer: (fanOutId: Part, digest: Part) => ['fan-out', fanOutId, 'answer', digest] as const,
    answers: (fanOutId: Part) => ['fan-out', fanOutId, 'answers'] as const,
    devices: (fanOutId: Part) => ['fan-out', fanOutId, 'devices'] as const,
    one: (fanOutId: Part) => ['fan-out', fanOutId] as const,
    grid: (id: Part, state: Part) => ['fan-out', id, 'grid', state] as const,
  },
  job: {
    one: (id: Part) => ['job', id] as const,
  },
  rollBack: {
    one: (id: Part) => ['roll-back', id] as const,
  },
  rollout: {
    report: (id: Part) => ['rollout', id, 'report'] as const,
    cells: (id: Part, state: Part) => ['rollout', id, 'cells', state] as const,
    devices: (id: Part) => ['rollout', id, 'devices'] as const,
    ready: (id: Part) => ['rollout', id, 'ready'] as const,
    one: (id: Part) => ['rollout', id] as const,
  },
  plan: {
    one: (asked: Part) => ['plan', asked] as const,
    vendor: (device: Part) => ['plan', 'vendor', device] as const,
  },
} as const;
