import { type IconName } from '../ui/icons.js';

/* The screens of the menu, in its order; `g` and the key open a screen. */

export interface Screen {
  readonly to: string;
  readonly title: string;
  readonly icon: IconName;
  readonly key: string;
  /** Other words by which the palette finds it. */
  readonly words?: string;
  /** A person with none of these permissions finds nothing there. Absent: it is for everyone. */
  readonly needs?: readonly string[];
}

export const SCREENS: readonly (readonly [group: string, screens: readonly Screen[]])[] = [
  [
    'Fleet',
    [
      { to: '/', title: 'Overview', icon: 'overview', key: 'o', words: 'home start attention' },
      { to: '/devices', title: 'Devices', icon: 'router', key: 'd', words: 'routers fleet', needs: ['device.read'] },
      {
        to: '/monitoring',
        title: 'Monitoring',
        icon: 'pulse',
        key: 'm',
        words: 'alerts rules samples signal data price policies',
        needs: ['device.read', 'monitoring.read'],
      },
      {
        to: '/configuration',
        title: 'Configuration',
        icon: 'sliders',
        key: 'n',
        words: 'watches drift compare groups accounts observed',
        needs: ['observed.read', 'monitoring.read'],
      },
      {
        to: '/templates',
        title: 'Templates',
        icon: 'template',
        key: 't',
        words: 'desired state drift in sync reconcile alike publish',
        needs: ['template.read'],
      },
      {
        to: '/fan-outs',
        title: 'Bulk query',
        icon: 'share',
        key: 'f',
        words: 'call many fan-out api',
        needs: ['device.call_read'],
      },
    ],
  ],
  [
    'Work',
    [
      {
        to: '/rollouts',
        title: 'Rollouts',
        icon: 'rocket',
        key: 'r',
        words: 'plan waves firmware',
        needs: ['rollout.read'],
      },
      {
        to: '/schedules',
        title: 'Schedules',
        icon: 'calendar',
        key: 's',
        words: 'windows calendar cron',
        needs: ['rollout.read'],
      },
      { to: '/jobs', title: 'Jobs', icon: 'list', key: 'j', words: 'tasks', needs: ['job.read'] },
    ],
  ],
  [
    'Stored',
    [
      {
        to: '/backups',
        title: 'Backups',
        icon: 'archive',
        key: 'b',
        words: 'restore coverage compare',
        needs: ['job.read', 'backup.read'],
      },
      {
        to: '/artifacts',
        title: 'Firmware and files',
        icon: 'chip',
        key: 'w',
        words: 'artifacts upload images',
        needs: ['artifact.read'],
      },
      {
        to: '/certificates',
        title: 'Certificates',
        icon: 'shield',
        key: 'c',
        words: 'trust pins expiry',
        needs: ['device.read'],
      },
    ],
  ],
  [
    'Control',
    [
      { to: '/audit', title: 'Audit', icon: 'scroll', key: 'a', words: 'log who changed', needs: ['audit.read'] },
      {
        to: '/access',
        title: 'Access',
        icon: 'people',
        key: 'p',
        words: 'operators roles keys sessions locks approvals account',
      },
      {
        to: '/system',
        title: 'System',
        icon: 'gauge',
        key: 'y',
        words: 'health processes webhooks settings',
        needs: ['system.read', 'webhook.manage'],
      },
    ],
  ],
];

export const ALL_SCREENS: readonly Screen[] = SCREENS.flatMap(([, screens]) => screens);

/** Whether a screen has something for a person with these permissions. */
export const mayOpen = ({ needs }: Screen, permissions: readonly string[]): boolean =>
  needs === undefined || needs.some((one) => permissions.includes(one));
