/*
 * The ordinary way: Nest on Fastify, a controller, axios with a keep-alive agent, bodies parsed and written again. Written
 * as most teams write it, without anything done badly on purpose. It knows no rights, sessions, metrics or audit.
 */
import 'reflect-metadata';
import { Agent } from 'node:https';
import { All, Body, Controller, Headers, Inject, Injectable, Module, Param, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import axios, { type AxiosResponse, type Method } from 'axios';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { serveParent } from '../processes.js';
import { AUTHORIZATION, type BaselineSettings } from './settings.js';

const ports = new Map<string, number>();

@Injectable()
class DevicesClient {
  private readonly http = axios.create({
    httpsAgent: new Agent({ keepAlive: true, rejectUnauthorized: false }),
    headers: { authorization: AUTHORIZATION },
    validateStatus: () => true,
    proxy: false,
  });

  send(name: string, method: Method, path: string, data: unknown): Promise<AxiosResponse<unknown>> {
    const url = `https://127.0.0.1:${ports.get(name)}/api/${path}`;
    return this.http.request({ method, url, ...(data === undefined ? {} : { data }) });
  }
}

@Controller('v1/devices')
class DevicesController {
  constructor(@Inject(DevicesClient) private readonly client: DevicesClient) {}

  @All(':ref/api/*')
  async pass(
    @Param('ref') ref: string,
    @Req() request: FastifyRequest,
    @Headers('content-length') length: string | undefined,
    @Body() body: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const path = request.url.slice(request.url.indexOf('/api/') + '/api/'.length);
    const data = length === undefined ? undefined : body;
    const answer = await this.client.send(ref.slice('name:'.length), request.method as Method, path, data);
    await reply.status(answer.status).send(answer.data);
  }
}

@Module({ controllers: [DevicesController], providers: [DevicesClient] })
class BaselineModule {}

await serveParent(async ({ devices }: BaselineSettings) => {
  for (const { name, port } of devices) ports.set(name, port);
  const app = await NestFactory.create<NestFastifyApplication>(BaselineModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return { ready: Number(new URL(await app.getUrl()).port) };
});
