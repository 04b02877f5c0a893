import type { Done, Message, PaletteNode, PaletteRed, Send } from '../red.ts';
import { Calls } from './calls.ts';

interface LinkInConfig {
  readonly id: string;
  readonly event?: unknown;
}

interface LinkOutConfig {
  readonly id: string;
  readonly mode?: string;
}

interface LinkCallConfig {
  /** The target, unless messages name it. */
  readonly links: string | readonly string[];
  readonly linkType?: string;
  /** In seconds. */
  readonly timeout?: string | number;
}

/** A node that called, as link out nodes return to it. */
interface LinkCaller extends PaletteNode {
  returnLinkMessage?: (id: string, message: Message) => void;
}

/** Where a message came from, for its way back. */
interface Source {
  readonly id: string;
  readonly node: string;
}

/** The types `link in`, `link out` and `link call`: wires that are not drawn, and calls that return. */
function linkSet(RED: PaletteRed): void {
  const { linkcallTargets } = RED.nodes;

  // Targets of calls are known by the name of this function.
  function LinkInNode(this: PaletteNode, config: LinkInConfig): void {
    RED.nodes.createNode(this, config);
    const event = `node:${config.id}`;
    const listener = (message: Message) => {
      message['_event'] = config.event;
      this.receive(message);
    };
    linkcallTargets.register(this);
    RED.events.on(event, listener);
    this.on('input', (message: Message, send: Send, done: Done) => {
      send(message);
      done();
    });
    this.on('close', () => {
      linkcallTargets.remove(this);
      RED.events.removeListener(event, listener);
    });
  }

  function LinkOutNode(this: PaletteNode, config: LinkOutConfig): void {
    RED.nodes.createNode(this, config);
    const mode = config.mode || 'link';
    const event = `node:${config.id}`;
    this.on('input', (message: Message, send: Send, done: Done) => {
      const returns = mode === 'return';
      if (!returns || !returnUnheard(message, event)) {
        message['_event'] = event;
        RED.events.emit(event, message);
        if (mode === 'link') send(message);
        else if (returns && !goBack(message)) this.warn(RED._('link.errors.missingReturn'));
      }
      if (returns || mode === 'link') done();
    });
  }

  /**
   * Returns a message to the link call that called last, where nobody listens to the event; whether that was done.
   * Only what was added last is taken off an object cheaply: here the source goes before the event comes.
   */
  function returnUnheard(message: Message, event: string): boolean {
    const sources = message['_linkSource'];
    if (!Array.isArray(sources) || sources.length === 0 || RED.events.listenerCount(event) > 0) return false;
    const { id, node } = sources[sources.length - 1] as Source;
    const caller = RED.nodes.getNode(node);
    if (!(caller instanceof LinkCallNode)) return false;
    sources.pop();
    forgetSources(message);
    message['_event'] = event;
    (caller as LinkCaller).returnLinkMessage?.(id, message);
    return true;
  }

  /** Returns a message to the node that called last; whether there is one. */
  function goBack(message: Message): boolean {
    const sources = message['_linkSource'];
    if (!Array.isArray(sources) || sources.length === 0) return false;
    const { id, node } = sources.pop() as Source;
    const caller = RED.nodes.getNode(node) as LinkCaller | null;
    if (!caller?.returnLinkMessage) return false;
    caller.returnLinkMessage(id, message);
    return true;
  }

  function LinkCallNode(this: LinkCaller, config: LinkCallConfig): void {
    RED.nodes.createNode(this, config);
    const { links } = config;
    const fixed = typeof links === 'string' ? links : links[0];
    const isDynamic = config.linkType === 'dynamic';
    const seconds = Number.parseFloat(String(config.timeout || 30));
    const calls = new Calls((Number.isNaN(seconds) ? 30 : seconds) * 1000, ({ message }) =>
      this.error('timeout', message),
    );
    this.on('input', (message: Message, send: Send, done: Done) => {
      try {
        const target = (isDynamic ? message['target'] : fixed) as string;
        const node = linkcallTargets.getTargetNode(this, target, isDynamic) as PaletteNode;
        message['_linkSource'] ||= [];
        const sources = message['_linkSource'] as Source[];
        sources.push({
          id: calls.add(RED.util.cloneMessage(message), send, done),
          node: this.id,
        });
        node.receive(message);
      } catch (error) {
        this.error(error, message);
      }
    });
    this.on('close', () => calls.close());
    this.returnLinkMessage = (id, message) => {
      forgetSources(message);
      const call = calls.take(id);
      if (call === undefined) {
        this.send(message);
        return;
      }
      call.send(message);
      call.done();
    };
  }

  RED.nodes.registerType('link in', LinkInNode);
  RED.nodes.registerType('link out', LinkOutNode);
  RED.nodes.registerType('link call', LinkCallNode);
}

/** Takes off the list of sources where it is empty. */
function forgetSources(message: Message): void {
  const sources = message['_linkSource'];
  if (Array.isArray(sources) && sources.length === 0) delete message['_linkSource'];
}

export default linkSet;
// What `require` gives.
export { linkSet as 'module.exports' };
