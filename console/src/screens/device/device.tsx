import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function DeviceScreen(): ReactNode {
  return <Page title="Device">{null}</Page>;
}
