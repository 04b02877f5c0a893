// Compiled, never run: what an author writes must type-check, and what is wrong must not.
import type { Node, NodeAPI, NodeDef, NodeInitializer, NodeMessage } from './api.ts';

interface CounterDef extends NodeDef {
  readonly step: number;
  readonly property: string;
  readonly propertyType: string;
}
interface CounterNode extends Node<{ token: string }> {
  count: number;
}

export const functions: NodeInitializer = (RED) => {
  function Counter(this: CounterNode, config: CounterDef) {
    RED.nodes.createNode(this, config);
    this.count = 0;
    const token: string | undefined = this.credentials.token;
    this.on('input', function (message, send, done) {
      this.count += config.step;
      RED.util.setMessageProperty(message, config.property, this.count, true);
      send([{ ...message, payload: token }, [message, { payload: 1 }], null]);
      this.status({ fill: 'green', shape: 'dot', text: this.count });
      this.status('text');
      RED.util.evaluateNodeProperty(config.property, config.propertyType, this, message, (error, result) => {
        this.send({ payload: result, error });
        done(error);
      });
    });
    this.on('close', (removed: boolean, done: () => void) => {
      this.context().flow.set('removed', removed, 'default');
      this.context().get(['a', 'b'], (error, a, b) => this.log([error, a, b]));
      done();
    });
    // @ts-expect-error there is no such member
    this.sendTo('x');
    // @ts-expect-error a node sends objects
    this.send('text');
    // @ts-expect-error not a credential of this type
    this.credentials.password;
  }
  RED.nodes.registerType('counter', Counter, {
    credentials: { token: { type: 'password' } },
    settings: { counterStep: { value: 1, exportable: true } },
  });
  // @ts-expect-error a credential is a text or a password
  RED.nodes.registerType('counter', Counter, { credentials: { token: { type: 'number' } } });
  // @ts-expect-error the settings file is the administrator's
  RED.settings.uiPort = 1;
};

export const classes: NodeInitializer = async (RED) => {
  class Greeter {
    constructor(config: NodeDef & { greeting: string }) {
      RED.nodes.createNode(this, config);
      const node = this as unknown as Node;
      node.on('input', async (message: NodeMessage, send) => {
        send({ ...message, payload: `${config.greeting}, ${message.payload}` });
      });
    }
  }
  RED.nodes.registerType('greeter', Greeter);
  await RED.import('left-pad');
};

export function routes(RED: NodeAPI): void {
  RED.httpAdmin.get('/counter/:id', RED.auth.needsPermission('counter.read'), (request, response) => {
    const node = RED.nodes.getNode<CounterNode>(request.params['id'] ?? '');
    if (node) response.json({ count: node.count });
    else response.sendStatus(404);
  });
  const foreign = (_request: { ip: string }, _response: object, next: () => void) => next();
  RED.httpNode.use('/counter', foreign);
  RED.httpNode.get('/x', foreign, [foreign]);
  RED.events.on('flows:started', () => RED.comms.publish('counter', { started: true }));
  RED.plugins.registerPlugin('p', { type: 'counter', onadd() {} });
  RED.hooks.add('onReceive.counter', (event: { msg: NodeMessage }) => {
    event.msg.payload = RED._('counter.label', { count: 1 });
  });
  RED.log.log({ level: RED.log.WARN, msg: RED.version() });
  // @ts-expect-error not a member
  RED.nope();
}
