import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Artifacts(): ReactNode {
  return <Page title="Firmware and files">{null}</Page>;
}
