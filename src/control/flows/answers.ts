import type { SerialisedFlows } from '../../storage/flow-file.ts';

/** The bodies of `GET /flows`, made once per revision. */
export class FlowAnswers {
  #of: SerialisedFlows | undefined;
  #v1 = Buffer.alloc(0);
  #v2 = Buffer.alloc(0);

  /** The array (`v1`), or the array and its revision (`v2`), as JSON. */
  body(flows: SerialisedFlows, version: 'v1' | 'v2'): Buffer {
    if (this.#of !== flows) {
      const head = '{"flows":';
      const tail = `,"rev":"${flows.rev}"}`;
      this.#v2 = Buffer.from(head + flows.json + tail);
      this.#v1 = this.#v2.subarray(head.length, -tail.length);
      this.#of = flows;
    }
    return version === 'v1' ? this.#v1 : this.#v2;
  }
}
