import { Peer } from './peer.js';

/* A child of `npm start`, and what it and its parent ask of each other. */

/** The token of the parent, for injection: null in a process without a parent. */
export const PARENT = Symbol('parent');

/** The variable that tells a child of ours from one of another program, such as a process manager. */
export const CHILD_MARK = 'FLEETGATE_CHILD';

/** What a child is there for. */
export interface ChildTask {
  /** Which one it is; another child in its place has another id. */
  readonly id: string;
  readonly role: 'api' | 'worker';
  /** Whether it does what one process of the installation does at its start. */
  readonly isFirst: boolean;
  /** Whether one of the children runs jobs. */
  readonly hasWorker: boolean;
  /** All children, this one included. */
  readonly processes: number;
  /** Which of its role it is, for metrics. */
  readonly place: number;
  /** Of the listener that the children share. */
  readonly port: number;
  readonly address: string;
  /** Of the embedded database, which the parent has started; null: settings name another one. */
  readonly databaseUrl: string | null;
}

/** What the parent serves to each child, as `parent`. */
export interface ParentServices {
  task(): Promise<ChildTask>;
  /** The child stops. It goes on to listen until the answer, so that another one can share its listener before. */
  stopping(): Promise<void>;
  /** The child works. @param url where people reach it */
  ready(url: string): Promise<void>;
  /** The child cannot start. @param refusal why, in an operator's words; null: its log says it */
  failed(refusal: string | null): Promise<void>;
  /** Calls a method of an object that each child serves, itself included. @returns the answers of those that gave one in time */
  askAll(object: string, method: string): Promise<unknown[]>;
}

/** What each child serves to its parent, as `child`. */
export interface ChildServices {
  /** Answers requests until `standDown`. @param isShared a child that stops listens until then: its listener is shared */
  standIn(isShared: boolean): Promise<void>;
  standDown(): Promise<void>;
}

/** The parent, as a child sees it. */
export class ParentProcess {
  private constructor(
    readonly peer: Peer,
    readonly services: ParentServices,
    readonly task: ChildTask,
  ) {}

  /**
   * Asks the parent for the task of this process. Node ends a child at once when its parent is gone, and so it should be: what
   * the parent has, such as the database, may be gone too, and another parent must not meet a second set of children.
   */
  static async join(): Promise<ParentProcess> {
    const peer = new Peer(process);
    const services = peer.remote('parent') as ParentServices;
    return new ParentProcess(peer, services, await services.task());
  }
}
