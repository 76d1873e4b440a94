import { Inject, Injectable } from '@nestjs/common';
import { type Actor } from './actor.js';
import { CONFIG, type GatewayConfig } from './config.js';
import { AppError } from './errors.js';

/** Whether a change needs an X-Change-Reason: by patterns of audit actions in the configuration. */
@Injectable()
export class ChangeReasons {
  constructor(@Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'REQUIRE_CHANGE_REASON'>) {}

  /** @throws AppError `change_reason_required` */
  check(action: string, actor: Pick<Actor, 'reason'>): void {
    if (actor.reason !== null) return;
    if (this.config.REQUIRE_CHANGE_REASON.some((pattern) => matches(pattern, action)))
      throw new AppError('change_reason_required', { action });
  }
}

const matches = (pattern: string, action: string): boolean =>
  pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : pattern === action;
