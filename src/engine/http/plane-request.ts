import { IncomingMessage } from 'node:http';
import { type PlaneInfo, planeHeaderName, readPlaneHeader } from '../../link/plane-header.ts';

const infoOf = Symbol('plane info');

/** A request that the control plane passed on, once its plane header was taken off. */
type Carrier = IncomingMessage & { [infoOf]?: PlaneInfo };

/** What the control plane told of a request; `undefined` for one that did not come from it. */
export function planeInfo(req: IncomingMessage): PlaneInfo | undefined {
  return (req as Carrier)[infoOf];
}

/** What Node's parser calls with the raw header lines before anybody sees the request (names and values in turn). */
interface TakesHeaderLines {
  _addHeaderLines(headers: string[], count: number): void;
}
const ofNode = IncomingMessage.prototype as unknown as TakesHeaderLines;

/**
 * The class of requests of the private socket: it takes the plane header (always the last) off before node code can see
 * it, in whatever form.
 */
export function planeRequestClass(secret: string): typeof IncomingMessage {
  const name = planeHeaderName(secret);
  // Requests of one client look the same, as long as nobody is logged in.
  let lastValue = '';
  let lastInfo: PlaneInfo | undefined;
  return class PlaneRequest extends IncomingMessage {
    _addHeaderLines(headers: string[], count: number): void {
      const at = headers.length - 2;
      if (at >= 0 && headers[at] === name) {
        const value = headers[at + 1] ?? '';
        if (value !== lastValue || lastInfo === undefined) {
          lastInfo = readPlaneHeader(value);
          lastValue = value;
        }
        (this as Carrier)[infoOf] = lastInfo;
        headers.length = at;
        ofNode._addHeaderLines.call(this, headers, Math.min(count, at));
      } else {
        ofNode._addHeaderLines.call(this, headers, count);
      }
    }
  };
}
