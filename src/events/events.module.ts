import { Inject, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { CONFIG, type GatewayConfig } from '../platform/config.js';
import { SweeperRunner } from '../platform/sweeper.js';
import { EventLog } from './event-log.js';
import { EventsController } from './events.controller.js';
import { WebhookDeliveries } from './webhook-deliveries.sweeper.js';
import { Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [AuditModule, AuthModule, DevicesModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [EventsController, WebhooksController],
  providers: [EventLog, WebhookDeliveries, WebhooksService],
})
export class EventsModule implements OnApplicationBootstrap {
  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(SweeperRunner) private readonly sweepers: SweeperRunner,
    @Inject(WebhookDeliveries) private readonly deliveries: WebhookDeliveries,
  ) {}

  onApplicationBootstrap(): void {
    if (this.config.ROLE !== 'api') this.sweepers.start(this.deliveries);
  }
}
