import { Module } from '@nestjs/common';
import { StorageSweeper } from './storage.sweeper.js';
import { Storage } from './storage.js';
import { Processes } from './processes.sweeper.js';
import { SystemController } from './system.controller.js';
import { SystemService } from './system.service.js';

@Module({ controllers: [SystemController], providers: [Processes, Storage, StorageSweeper, SystemService] })
export class SystemModule {}
