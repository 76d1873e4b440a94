import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

interface Signals {
  /** A job is due: wakes the dispatcher. */
  due: [];
  /** A cancellation was requested for a job that a worker holds. */
  cancel: [jobId: string];
  ended: [jobId: string];
  /** A job of a batch has ended: the rollout may start the next one. */
  batchJobEnded: [];
}

/**
 * Signals between parts of one process. They only save time: a missed one is found in the rows a moment later, and
 * other processes never get them.
 */
@Injectable()
export class JobSignals {
  private readonly emitter = new EventEmitter<Signals>().setMaxListeners(0);

  emit<Name extends keyof Signals>(name: Name, ...detail: Signals[Name]): void {
    (this.emitter as EventEmitter).emit(name, ...detail);
  }

  /** @returns a function that ends the subscription */
  on<Name extends keyof Signals>(name: Name, listener: (...detail: Signals[Name]) => void): () => void {
    const plain = this.emitter as EventEmitter;
    plain.on(name, listener as (...detail: unknown[]) => void);
    return () => plain.off(name, listener as (...detail: unknown[]) => void);
  }
}
