/* oxlint-disable no-underscore-dangle -- Node names the methods of a stream so */
import { type Socket } from 'node:net';

/**
 * Holds the device back on one connection, below undici: its parser is never paused. A parser that is paused when the
 * device closes ends the process (nodejs/undici#5360: an assertion that no caller can catch; corrected in undici 8, which
 * needs Node 22.19).
 *
 * undici takes bytes from the socket by `read()` when it is readable. While the gate is closed it gets none, so the
 * buffer of the socket fills, Node stops to read, and TCP holds the device back. The end of the stream comes behind its
 * last byte, so undici learns of it only after the gate has opened.
 */
export class ReadGate {
  private socket: Socket | null = null;
  private closed = false;

  /** Runs before the reads of a connection from now on. */
  guard(socket: Socket): Socket {
    const read = socket.read.bind(socket);
    this.socket = socket;
    this.closed = false;
    // `read(0)` takes nothing: it is how Node fills the buffer.
    socket.read = (size) => (this.closed && this.socket === socket && size !== 0 ? null : read(size));
    return deferFailedWrites(socket);
  }

  close(): void {
    this.closed = true;
  }

  open(): void {
    if (!this.closed) return;
    this.closed = false;
    // Not at once: the receiver may let go from inside the parser, which must not be entered twice.
    process.nextTick(() => {
      if (!this.closed && this.socket && !this.socket.destroyed) this.socket.emit('readable');
    });
  }
}

type WriteCallback = (error?: Error | null) => void;

/**
 * Lets the answer of a device outlive a failed write. A device may refuse an upload early and close: then a write of the
 * rest fails, and Node would destroy the socket with the answer still unread. The failure is told when the reading has
 * ended, which after a reset is at once.
 */
function deferFailedWrites(socket: Socket): Socket {
  let told: WriteCallback | null = null;
  let deferred: WriteCallback = () => undefined;
  // Node passes the same function to each write of a socket, so it is wrapped once.
  const defer = (written: WriteCallback): WriteCallback => {
    if (written === told) return deferred;
    told = written;
    deferred = (error) => {
      if (error && !socket.destroyed) socket.once('close', () => written(error));
      else written(error);
    };
    return deferred;
  };
  const write = socket._write.bind(socket);
  const writeAll = socket._writev!.bind(socket);
  socket._write = (chunk, encoding, written) => write(chunk, encoding, defer(written));
  socket._writev = (chunks, written) => writeAll(chunks, defer(written));
  return socket;
}
