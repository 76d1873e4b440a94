import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DevicesModule } from '../devices/devices.module.js';
import { CertificatesController } from './certificates.controller.js';

@Module({ imports: [AuthModule, DevicesModule], controllers: [CertificatesController] })
export class CertificatesModule {}
