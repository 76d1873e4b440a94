import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Backups(): ReactNode {
  return <Page title="Backups">{null}</Page>;
}
