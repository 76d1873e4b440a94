import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Devices(): ReactNode {
  return <Page title="Devices">{null}</Page>;
}
