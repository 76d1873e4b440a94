import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Audit(): ReactNode {
  return <Page title="Audit">{null}</Page>;
}
