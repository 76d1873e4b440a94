import 'reflect-metadata';
import { type OpenAPIObject } from '@nestjs/swagger';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { AppModule } from '../../src/app.module.js';
import { readConfig } from '../../src/platform/config.js';
import { Metrics } from '../../src/platform/metrics.js';
import { RootKeys } from '../../src/secrets/root-keys.js';

/** The application without any of its services: its routes can be read, and it needs no database. */
export function routesOnly(): Promise<NestFastifyApplication> {
  const parts = {
    config: readConfig({}),
    log: pino({ level: 'silent' }),
    metrics: new Metrics(),
    urls: { appUrl: 'postgres://localhost', ownerUrl: 'postgres://localhost' },
    rootKeys: new RootKeys([], null!),
  };
  return NestFactory.create<NestFastifyApplication>(AppModule.with(parts), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
}

/** The text of docs/reference/openapi.json. A reference, which is a third of all lines otherwise, is one line. */
export function documentText(document: OpenAPIObject): string {
  return `${JSON.stringify(document, null, 1).replaceAll(/\{\n *("\$ref": "[^"\n]*")\n *\}/g, '{ $1 }')}\n`;
}

export interface AnsweringOperation {
  readonly responses: Readonly<Record<string, { content?: Record<string, { examples?: object }> }>>;
}

/** The codes of the errors that an operation of the inlined document can answer: each has its example. */
export const codesOf = ({ responses }: AnsweringOperation): string[] =>
  Object.values(responses).flatMap(({ content }) => Object.keys(content?.['application/problem+json']?.examples ?? {}));
