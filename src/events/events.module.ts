import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { EventLog } from './event-log.js';
import { EventsController } from './events.controller.js';
import { MailAddresses } from './mail-addresses.service.js';
import { Mailer } from './mailer.js';
import { Notifications } from './notifications.sweeper.js';
import { WebhookDeliveries } from './webhook-deliveries.sweeper.js';
import { WebhookSender } from './webhook-sender.js';
import { Webhook } from './webhook.entity.js';
import { WebhooksController } from './webhooks.controller.js';
import { WebhooksService } from './webhooks.service.js';

@Module({
  imports: [AuditModule, AuthModule, DevicesModule, TypeOrmModule.forFeature([Webhook])],
  controllers: [EventsController, WebhooksController],
  providers: [EventLog, MailAddresses, Mailer, Notifications, WebhookDeliveries, WebhookSender, WebhooksService],
})
export class EventsModule {}
