import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Schedules(): ReactNode {
  return <Page title="Schedules">{null}</Page>;
}
