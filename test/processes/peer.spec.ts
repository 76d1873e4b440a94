import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { Peer, type Port } from '../../src/processes/peer.js';

/* Calls between a parent and its child, over a pair of ports that clone what passes, as Node's channel does. */

class TestPort extends EventEmitter implements Port {
  other: TestPort | null = null;

  send(message: object, _handle: undefined, _options: object, sent: (error: Error | null) => void): void {
    const { other } = this;
    const copy: unknown = structuredClone(message);
    queueMicrotask(() => {
      sent(other ? null : new Error('the channel is closed'));
      other?.emit('message', copy);
    });
  }
}

function pair() {
  const [near, far] = [new TestPort(), new TestPort()];
  near.other = far;
  far.other = near;
  return { near, asking: new Peer(near), serving: new Peer(far) };
}

const desks = (peer: Peer) => peer.remote('desk') as Desk;

interface Desk {
  add(one: number, other: number): Promise<number>;
  fail(): Promise<void>;
  hang(): Promise<void>;
}
const desk: Desk = {
  add: async (one, other) => one + other,
  fail: async () => {
    throw new Error('the desk is closed');
  },
  hang: () => new Promise(() => undefined),
};

it('calls what the other end serves, in any order, and gets its results and errors', async () => {
  const { asking, serving } = pair();
  serving.serve('desk', desk);
  const remote = desks(asking);
  expect(await Promise.all([remote.add(1, 2), remote.add(3, 4)])).toEqual([3, 7]);
  await expect(remote.fail()).rejects.toThrow('the desk is closed');
});

it('tells of an object that nobody serves', async () => {
  await expect(desks(pair().asking).add(1, 2)).rejects.toThrow('undefined');
});

it('hears nothing of the other end once it is taken for gone', async () => {
  const { near, asking, serving } = pair();
  let added = 0;
  serving.serve('desk', { ...desk, add: async () => ++added });
  serving.close();
  void desks(asking).add(1, 2);
  await new Promise(setImmediate);
  expect([added, near.other === null]).toEqual([0, false]);
});

it('ends what waits when the other end is gone, and what is asked afterwards', async () => {
  const { near, asking, serving } = pair();
  serving.serve('desk', desk);
  const waiting = desks(asking).hang();
  near.other = null;
  asking.close();
  await expect(waiting).rejects.toThrow('the other process has ended');
  await expect(desks(asking).add(1, 2)).rejects.toThrow('the channel is closed');
});
