/*
 * The names of all that the console reads, in one place. Each begins with the noun of its rows: an event refreshes the reads of its nouns
 * (`live.ts`), and an action those that it names.
 */

type Part = string | number | boolean | null | undefined | object;

export const KEYS = {
  deviceName: {
    one: (id: Part) => ['device-name', id] as const,
  },
  self: {
    all: ['self'],
  },
  system: {
    all: ['system'],
  },
  device: {
    one: (ref: Part) => ['device', ref] as const,
    reachability: (id: Part) => ['device', id, 'reachability'] as const,
    sample: (id: Part) => ['device', id, 'sample'] as const,
    sampleHistory: (id: Part, metric: Part, hours: Part) => ['device', id, 'sample-history', metric, hours] as const,
    history: (id: Part) => ['device', id, 'history'] as const,
    historyStates: (id: Part) => ['device', id, 'history', 'states'] as const,
    session: (id: Part) => ['device', id, 'session'] as const,
    meets: (id: Part, term: Part) => ['device', id, 'meets', term] as const,
  },
  devices: {
    effect: (selector: Part) => ['devices', 'effect', selector] as const,
    summary: (query: Part) => ['devices', 'summary', query] as const,
    trustChanged: ['devices', 'trust-changed'],
    rows: (filter: Part, sort: Part, fields: Part, window: Part) =>
      ['devices', 'rows', filter, sort, fields, window] as const,
    allRows: ['devices', 'rows'],
    all: ['devices'],
    availability: ['devices', 'availability'],
    problems: ['devices', 'problems'],
    attention: ['devices', 'attention'],
    pattern: (asked: Part) => ['devices', 'pattern', asked] as const,
    palette: (asked: Part) => ['devices', 'palette', asked] as const,
    completed: (asked: Part) => ['devices', 'completed', asked] as const,
    named: (asked: Part) => ['devices', 'named', asked] as const,
  },
  observed: {
    groups: (path: Part, selector: Part) => ['observed', 'groups', path, selector] as const,
    comparison: (path: Part, one: Part, other: Part) => ['observed', 'comparison', path, one, other] as const,
    matrix: ['observed', 'matrix'],
    sections: (path: Part, digest: Part) => ['observed', 'sections', path, digest] as const,
    ofDevice: (id: Part) => ['observed', 'of', id] as const,
    changes: (id: Part) => ['observed', 'changes', id] as const,
  },
  watches: {
    all: ['watches'],
    price: (of: Part) => ['watches', 'price', of] as const,
  },
  templates: {
    all: ['templates'],
    one: (name: Part) => ['templates', 'one', name] as const,
    version: (name: Part, number: Part) => ['templates', 'version', name, number] as const,
    versions: (name: Part) => ['templates', 'versions', name] as const,
    plan: (name: Part) => ['templates', 'plan', name] as const,
    differing: (name: Part) => ['templates', 'differing', name] as const,
    ignored: (name: Part) => ['templates', 'ignored', name] as const,
    spellings: (name: Part) => ['templates', 'spellings', name] as const,
    devices: (name: Part) => ['templates', 'devices', name] as const,
    ofDevice: (id: Part) => ['templates', 'of', id] as const,
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
  fanOuts: {
    lastActs: ['fan-outs', 'last-acts'],
    all: ['fan-outs'],
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
    names: (id: Part, target: Part) => ['locks', 'names', id, target] as const,
    devices: ['locks', 'devices'],
    ofWrites: ['locks', 'of-writes'],
    newest: ['locks', 'newest'],
  },
  oidc: {
    all: ['oidc'],
  },
  sessions: {
    list: (isAll: Part) => ['sessions', isAll] as const,
  },
  artifacts: {
    list: ['artifacts', 'list'],
    one: (id: Part) => ['artifacts', 'one', id] as const,
    usage: ['artifacts', 'usage'],
    backups: ['artifacts', 'backups'],
    of: (id: Part) => ['artifacts', 'of', id] as const,
    firmware: ['artifacts', 'firmware'],
    ofJobs: ['artifacts', 'of-jobs'],
  },
  digest: {
    one: (name: Part, size: Part, lastModified: Part) => ['digest', name, size, lastModified] as const,
  },
  rollouts: {
    ofArtifact: ['rollouts', 'of-artifact'],
    newest: ['rollouts', 'newest'],
    all: ['rollouts'],
    calendar: ['rollouts', 'calendar'],
    menu: ['rollouts', 'menu'],
    palette: ['rollouts', 'palette'],
    names: ['rollouts', 'names'],
  },
  schedules: {
    all: ['schedules'],
    runs: ['schedules', 'runs'],
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
  certificates: {
    all: ['certificates'],
    of: (id: Part) => ['certificates', 'of', id] as const,
  },
  deviceDocument: {
    one: (id: Part) => ['device-document', id] as const,
  },
  deviceConfiguration: {
    key: (id: Part, paths: Part) => ['device-configuration', id, 'key', paths] as const,
    one: (id: Part, path: Part, wantsSecrets: Part) => ['device-configuration', id, path, wantsSecrets] as const,
  },
  land: {
    all: ['land'],
  },
  monitoring: {
    unsampled: (selector: Part) => ['monitoring', 'unsampled', selector] as const,
    policies: ['monitoring', 'policies'],
    names: (id: Part, selector: Part) => ['monitoring', 'names', id, selector] as const,
    price: (of: Part) => ['monitoring', 'price', of] as const,
    week: (selector: Part, metric: Part) => ['monitoring', 'week', selector, metric] as const,
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
    newestOf: (kind: Part) => ['jobs', 'newest', kind] as const,
  },
  fields: {
    all: ['fields'],
  },
  selectors: {
    all: ['selectors'],
  },
  file: {
    one: (name: Part, size: Part, lastModified: Part) => ['file', name, size, lastModified] as const,
  },
  imports: {
    one: (id: Part) => ['imports', id] as const,
  },
  discovery: {
    one: (id: Part) => ['discovery', id] as const,
    found: (id: Part, searched: Part) => ['discovery', id, 'found', searched] as const,
  },
  sparkline: {
    one: (metric: Part, id: Part) => ['sparkline', metric, id] as const,
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
  alerts: {
    ofDevice: (id: Part) => ['alerts', 'of', id] as const,
    all: ['alerts'],
    attention: ['alerts', 'attention'],
    open: ['alerts', 'open'],
    newest: ['alerts', 'newest'],
    menu: ['alerts', 'menu'],
  },
  mutes: {
    all: ['mutes'],
  },
  alertRules: {
    all: ['alert-rules'],
    try: (condition: Part) => ['alert-rules', 'try', condition] as const,
  },
  figures: {
    all: ['figures'],
  },
  rollBack: {
    one: (id: Part) => ['roll-back', id] as const,
  },
  rollout: {
    report: (id: Part) => ['rollout', id, 'report'] as const,
    cells: (id: Part, state: Part) => ['rollout', id, 'cells', state] as const,
    devices: (id: Part) => ['rollout', id, 'devices'] as const,
    one: (id: Part) => ['rollout', id] as const,
  },
  plan: {
    one: (asked: Part) => ['plan', asked] as const,
  },
  webhooks: {
    deliveries: (id: Part) => ['webhooks', id, 'deliveries'] as const,
    all: ['webhooks'],
    one: (id: Part) => ['webhooks', id] as const,
  },
  secrets: {
    all: ['secrets'],
  },
  settings: {
    all: ['settings'],
  },
  preview: {
    one: (selector: Part, permission: Part) => ['preview', selector, permission] as const,
    leftOut: (ids: Part) => ['preview', 'left out', ids] as const,
  },
} as const;
