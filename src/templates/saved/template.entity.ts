import { Column, Entity } from 'typeorm';
import { type HasAuthor } from '../../auth/keys/authors.service.js';
import { AuthoredRow } from '../../recurring/recurring.js';
import { type TemplateItem } from '../desired/template-item.js';

/** What devices should be set to. Selector and items are the draft. */
@Entity({ name: 'template' })
export class Template extends AuthoredRow {
  @Column('text') selector!: string;
  @Column('jsonb') items!: TemplateItem[];
  /** The version in force; null: none was published. */
  @Column('integer', { name: 'published_number', nullable: true }) publishedNumber!: number | null;
}

/** A draft or a published version, with the one in whose name it reaches devices. */
export interface TemplateContent extends HasAuthor {
  readonly createdBy: string;
  readonly selector: string;
  readonly items: readonly TemplateItem[];
}

export interface PublishedVersion extends TemplateContent {
  readonly id: string;
  readonly templateId: string;
  readonly number: number;
  readonly reason: string;
  readonly createdByName: string;
  readonly publishedAt: Date;
}

/** A version in force, with the name of its template. */
export interface Published extends PublishedVersion {
  readonly name: string;
}

/** Columns of a published version, as `entry`. */
export const VERSION_COLUMNS = `
  entry.id, entry.template_id as "templateId", entry.number, entry.selector, entry.items, entry.reason,
  entry.created_by as "createdBy", entry.created_by_name as "createdByName", entry.operator_id as "operatorId",
  entry.published_at as "publishedAt"`;

/** All processes are notified of what changes how devices compare with a template, with its id. */
export const TEMPLATE_TOPIC = 'template';

/** The paths of some items, each once. */
export const pathsOf = (items: readonly TemplateItem[]): string[] => [...new Set(items.map(({ path }) => path))];
