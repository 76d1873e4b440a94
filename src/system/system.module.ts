import { Module } from '@nestjs/common';
import { Processes } from './processes.sweeper.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

@Module({ controllers: [SystemController], providers: [Processes, SystemService] })
export class SystemModule {}
