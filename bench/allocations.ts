/*
 * P1: what a proxied GET allocates in V8's heap, from the collections that `--trace-gc` reports: between two of them the
 * heap has grown by what was allocated. The gateway is one of its own, since the trace costs time.
 */
import { Gateway } from './gateway.js';
import { requestText } from './load.js';
import { CONNECTIONS, GET_PATH, target, warmUpAnswers, type World } from './passing-through.js';
import { significant } from './report.js';

/** Such as `[371:0x5e6f]  103 ms: Scavenge 30.1 (52.2) -> 10.3 (53.0) MB, …`: the isolate, megabytes before and after. */
const COLLECTION = /^\[\d+:(0x[0-9a-f]+)\].*?: [A-Z][A-Za-z- ()]+ ([\d.]+) \([\d.]+\) -> ([\d.]+) \([\d.]+\) MB/;

/** Adds up what the isolates of a process have allocated. */
class HeapTrace {
  allocatedMB = 0;
  private readonly afterLast = new Map<string, number>();
  private rest = '';

  add(text: string): void {
    const lines = (this.rest + text).split('\n');
    this.rest = lines.pop()!;
    for (const line of lines) {
      const found = COLLECTION.exec(line);
      if (!found) continue;
      const [, isolate, before, after] = found;
      const last = this.afterLast.get(isolate!);
      if (last !== undefined) this.allocatedMB += Number(before) - last;
      this.afterLast.set(isolate!, Number(after));
    }
  }
}

/** Requests that are counted: some 25 collections, so that the one at either end makes little difference. */
const ANSWERS = 15_000;

export async function measureAllocations({ bare, load, report, short }: World): Promise<void> {
  const trace = new HeapTrace();
  const gateway = await Gateway.install({ nodeFlags: ['--trace-gc'], onOutput: (text) => trace.add(text) });
  try {
    await gateway.importCsv(bare.csv);
    const devices = bare.devices.slice(0, CONNECTIONS);
    const requests = devices.map(({ name }) => requestText('GET', target(name, GET_PATH), gateway.headers()));
    await load.ask({ port: gateway.port, requests, answers: warmUpAnswers(short) });
    const before = trace.allocatedMB;
    const { answers } = await load.ask({ port: gateway.port, requests, answers: ANSWERS });
    const grown = trace.allocatedMB - before;
    report.add({
      id: 'P1',
      what: 'GET, allocated in the heap of V8',
      value: (grown * 1024) / answers,
      unit: 'KB',
      against: '',
      bound: { atMost: 20 },
      detail: `${significant(grown)} MB for ${answers.toLocaleString('en-GB')} requests`,
    });
  } finally {
    await gateway.remove();
  }
}
