import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Principal } from '../../auth/access/access.js';
import { SealedValuesService } from '../../jobs/sealed-values/sealed-values.service.js';
import { Redactor } from '../../secrets/redactor.js';
import { type TemplateItem } from '../desired/template-item.js';
import { type Template } from './template.entity.js';

/*
 * The secrets of a template. What its author gave is copied, so that it lasts as long as the template and no job may name it. Who
 * changes a template chooses the option and the devices that get a secret: so only its giver may, and those who may open it.
 */

@Injectable()
export class TemplateSecrets {
  constructor(
    @Inject(SealedValuesService)
    private readonly values: Pick<SealedValuesService, 'adopt' | 'copiesOf' | 'find' | 'openInside'>,
    @Inject(Redactor) private readonly redactor: Pick<Redactor, 'redacted'>,
  ) {}

  /**
   * The items with copies of the secrets that the actor gave.
   * @param found the template as it was; null for a new one
   * @throws AppError `sealed_value_not_found`, `forbidden`
   */
  async adopt(
    tx: EntityManager,
    items: readonly TemplateItem[],
    { id, name }: { readonly id: string; readonly name: string },
    found: Template | null,
    actor: Principal,
  ): Promise<TemplateItem[]> {
    const copies = await this.values.copiesOf(tx, id);
    const own = new Set(found?.operatorId === actor.operatorId ? valueIdsOf(found.items) : []);
    const adopted = new Map<string, { readonly valueId: string; readonly secret: string }>();
    for (const valueId of valueIdsOf(items)) {
      if (!copies.has(valueId)) {
        const copy = await this.values.adopt(tx, valueId, { templateId: id }, `secret of the template ${name}`, actor);
        adopted.set(valueId, { valueId: copy, secret: (await this.values.find(valueId))!.label });
      } else if (!own.has(valueId)) actor.rights.require({ action: 'sealed_value.open' });
    }
    return items.map((item) => ({
      ...item,
      sealed: item.sealed.map((one) => ('valueId' in one ? { ...one, ...adopted.get(one.valueId) } : one)),
    }));
  }

  /** A secret as watches store it: an option that they show in clear is compared in clear. @throws AppError `sealed_value_not_found` */
  async print(path: string, { option, valueId }: { readonly option: string; readonly valueId: string }) {
    const value = await this.values.openInside(valueId);
    return String(this.redactor.redacted({ [option]: value }, path)[option]);
  }

  /** A value as a fingerprint, whatever its option is called. */
  hidden(value: unknown): unknown {
    if (value === undefined) return undefined;
    const password = typeof value === 'string' ? value : JSON.stringify(value);
    return this.redactor.redacted({ password }).password;
  }
}

export const valueIdsOf = (items: readonly TemplateItem[]): string[] => [
  ...new Set(items.flatMap(({ sealed }) => sealed.flatMap((one) => ('valueId' in one ? [one.valueId] : [])))),
];
