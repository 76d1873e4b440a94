import { setPaused } from '../../api/live.js';
import { chooseTheme } from '../theme.js';

/* What a person can do from any screen. */

/** An address below /console, or what is done. */
export type Target = string | (() => void);

/** With the permission that each needs: what a person may not do is not offered. */
export const ACTIONS: readonly (readonly [title: string, to: Target, words: string, needs?: string])[] = [
  ['Add a device', '/devices?add=one', 'register new router', 'device.manage'],
  ['Import devices', '/devices?add=import', 'csv file', 'device.manage'],
  ['Search networks for devices', '/devices?add=search', 'discovery discover', 'discovery.manage'],
  ['Start a job', '/jobs?add=yes', 'restart reboot update firmware back up', 'job.start'],
  ['Back up devices without a backup', '/backups?state=none', 'missing coverage save configuration', 'rollout.manage'],
  ['New backup policy', '/backups?tab=policies&add=yes', 'nightly every night regular retention', 'backup.manage'],
  ['Restore a backup', '/backups?tab=files', 'put back roll back configuration', 'backup.read'],
  ['Compare backups', '/backups?tab=compare', 'difference changed diff', 'backup.read'],
  ['Add a schedule', '/schedules?add=yes', 'nightly every night weekly repeat cron window', 'rollout.manage'],
  ['New template', '/templates?make=yes', 'desired state configuration alike', 'template.edit'],
  ['New rule', '/monitoring?tab=rules&add=yes', 'alert alarm notify condition', 'monitoring.manage'],
  ['New mute', '/monitoring?tab=mutes&add=yes', 'silence maintenance quiet snooze alerts', 'monitoring.manage'],
  ['Upload firmware', '/artifacts?tab=firmware&add=yes', 'file image store', 'artifact.manage'],
  ['New bulk query', '/fan-outs/new', 'call many devices fan-out', 'device.call_read'],
  ['Plan a rollout', '/rollouts/new', 'firmware update job', 'rollout.manage'],
  ['Add a person', '/access?tab=people&add=yes', 'invite user operator account', 'operator.manage'],
  ['Set a lock', '/access?tab=locks&add=yes', 'stop block maintenance', 'lock.manage'],
  ['Freeze writes', '/access?tab=locks&freeze=yes', 'lock stop', 'lock.manage'],
  ['Look at changed certificates', '/certificates?tab=trust', 'trust pin', 'device.read'],
  ['Look at certificates that expire', '/certificates?tab=expiring', 'reissue tls', 'device.read'],
  ['Verify the audit', '/audit?verify=yes', 'proof', 'audit.verify'],
  ['Export the audit', '/audit?export=yes', 'download', 'audit.export'],
  ['Ask who may do something', '/access?tab=explain', 'rights explain why', 'rights.explain'],
  ['Issue an API key', '/access?tab=keys&add=yes', 'token program', 'self.change'],
  ['Decide about approvals', '/access?tab=approvals', 'approve reject second person', 'approval.read'],
  ['Look at the settings', '/system?tab=settings', 'configuration environment', 'system.read'],
  ['Add a webhook', '/system?tab=webhooks', 'deliveries replay', 'webhook.manage'],
  ['Your account and second factor', '/access?tab=account', 'password totp'],
  ['Pause live updates', () => setPaused(true), 'stop hold'],
  ['Follow live updates', () => setPaused(false), 'resume continue'],
  ['Use the light theme', () => chooseTheme('light'), 'colour'],
  ['Use the dark theme', () => chooseTheme('dark'), 'colour night'],
  ['Use high contrast', () => chooseTheme('contrast'), 'theme colour'],
  ['Use the theme of the system', () => chooseTheme('system'), 'colour'],
];

/** The buttons at the head of the screen behind the palette, such as those of a device, with those of its menu. */
export const actionsOfPage = (): readonly (readonly [title: string, to: Target])[] =>
  [...document.querySelectorAll<HTMLElement>('main .page-head :is(button, a.button)')]
    .filter((button) => button.checkVisibility() || button.closest('[role=menu]'))
    .filter((button) => !button.matches(':disabled, [aria-haspopup=menu]'))
    .flatMap((button) => {
      const title = (button.getAttribute('aria-label') ?? button.textContent).trim();
      return title === '' ? [] : [[title, () => button.click()] as const];
    });
