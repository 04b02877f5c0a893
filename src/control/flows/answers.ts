import type { SerialisedFlows } from '../../storage/serialised-flows.ts';

/** The bodies of `GET /flows`, made once per revision. */
export class FlowAnswers {
  #of: SerialisedFlows | undefined;
  #v2 = Buffer.alloc(0);

  /** The array (`v1`), or the array and its revision (`v2`), as JSON. */
  body(flows: SerialisedFlows, version: 'v1' | 'v2'): Buffer {
    const { bytes } = flows.text;
    if (version === 'v1') return bytes;
    if (this.#of !== flows) {
      this.#v2 = Buffer.concat([Buffer.from('{"flows":'), bytes, Buffer.from(`,"rev":"${flows.rev}"}`)]);
      this.#of = flows;
    }
    return this.#v2;
  }
}
