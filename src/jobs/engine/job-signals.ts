import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';

interface Signals {
  /** A job is due: the dispatcher need not wait for its next turn. */
  due: [];
  /** Somebody asked for the cancel of a job that a worker holds. */
  cancel: [jobId: string];
  ended: [jobId: string];
  /** A job of a rollout has ended: its place can be taken. */
  bulkEnded: [];
}

/**
 * Nudges between the parts of one process. They only make things faster: whoever misses one finds the same in the
 * rows a moment later, and other processes never see them.
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
