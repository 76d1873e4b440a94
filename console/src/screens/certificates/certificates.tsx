import { type ReactNode } from 'react';
import { Page } from '../../ui/page.js';

export function Certificates(): ReactNode {
  return <Page title="Certificates">{null}</Page>;
}
