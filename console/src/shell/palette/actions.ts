import { setPaused } from '../../api/live.js';
import { chooseTheme } from '../theme.js';

/* What a person can do from any screen. */

/** An address below /console, or what is done. */
export type Target = string | (() => void);

export const ACTIONS: readonly (readonly [title: string, to: Target, words: string])[] = [
  ['Add a device', '/devices?add=one', 'register new router'],
  ['Import devices', '/devices?add=import', 'csv file'],
  ['Search networks for devices', '/devices?add=search', 'discovery discover'],
  ['Call many devices', '/fan-outs/new', 'fan-out bulk'],
  ['Plan a rollout', '/rollouts/new', 'firmware update job'],
  ['Freeze writes', '/access?tab=locks&freeze=yes', 'lock stop'],
  ['Look at changed certificates', '/certificates?tab=trust', 'trust pin'],
  ['Look at certificates that expire', '/certificates?tab=expiring', 'reissue tls'],
  ['Verify the audit', '/audit?verify=yes', 'proof'],
  ['Export the audit', '/audit?export=yes', 'download'],
  ['Ask who may do something', '/access?tab=explain', 'rights explain why'],
  ['Issue an API key', '/access?tab=keys', 'token program'],
  ['Decide about approvals', '/access?tab=approvals', 'approve reject second person'],
  ['Look at the settings', '/system?tab=settings', 'configuration environment'],
  ['Add a webhook', '/system?tab=webhooks', 'deliveries replay'],
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
