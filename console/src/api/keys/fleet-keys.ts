import { type Part } from './key-part.js';

/* What is read of devices, of what they have, and of what is watched of them. */

export const FLEET_KEYS = {
  deviceName: {
    one: (id: Part) => ['device-name', id] as const,
    removed: (id: Part) => ['device-name', 'removed', id] as const,
  },
  device: {
    one: (ref: Part) => ['device', ref] as const,
    reachability: (id: Part) => ['device', id, 'reachability'] as const,
    sample: (id: Part) => ['device', id, 'sample'] as const,
    sampleHistory: (id: Part, metric: Part, hours: Part) => ['device', id, 'sample-history', metric, hours] as const,
    historyStates: (id: Part) => ['device', id, 'history', 'states'] as const,
    session: (id: Part) => ['device', id, 'session'] as const,
    meets: (id: Part, term: Part) => ['device', id, 'meets', term] as const,
  },
  /** No event reads it again: it asks the device. */
  deviceContact: {
    one: (id: Part) => ['device-contact', id] as const,
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
    few: ['devices', 'few'],
    taken: (what: Part, asked: Part) => ['devices', 'taken', what, asked] as const,
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
    fleetChanges: ['observed', 'fleet-changes'],
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
  fields: {
    all: ['fields'],
  },
  selectors: {
    all: ['selectors'],
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
  alerts: {
    ofDevice: (id: Part) => ['alerts', 'of', id] as const,
    all: ['alerts'],
    attention: ['alerts', 'attention'],
    open: ['alerts', 'open'],
    newest: ['alerts', 'newest'],
    menu: ['alerts', 'menu'],
    one: (id: Part) => ['alerts', 'one', id] as const,
    before: (deviceId: Part, ruleId: Part) => ['alerts', 'before', deviceId, ruleId] as const,
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
  preview: {
    one: (selector: Part, permission: Part) => ['preview', selector, permission] as const,
    leftOut: (ids: Part) => ['preview', 'left out', ids] as const,
  },
} as const;
