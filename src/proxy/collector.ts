import { type AnswerHeaders, type AnswerSink } from '../device-api/http.js';
import { parseJson } from '../device-api/json-bytes.js';

/** Keeps an answer in memory: the sink for whoever wants to read it as a whole. */
export class Collector implements AnswerSink {
  status = 0;
  headers: AnswerHeaders = {};
  private chunks: Buffer[] = [];

  head(status: number, headers: AnswerHeaders): void {
    this.status = status;
    this.headers = headers;
    this.chunks = [];
  }

  data(chunk: Buffer): void {
    this.chunks.push(chunk);
  }

  bytes(): Buffer {
    return this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
  }

  /** The parsed body; undefined when it is not JSON in UTF-8. */
  json(): unknown {
    try {
      return parseJson(this.bytes());
    } catch {
      return undefined;
    }
  }
}
