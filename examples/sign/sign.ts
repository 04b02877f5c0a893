import { createHmac } from 'node:crypto';
import type { Node, NodeDef, NodeInitializer } from 'sluice/node';

interface SignDef extends NodeDef {
  readonly algorithm: 'sha256' | 'sha512';
}
type SignNode = Node<{ key: string }>;

const init: NodeInitializer = (RED) => {
  RED.nodes.registerType(
    'sign',
    function (this: SignNode, config: SignDef) {
      RED.nodes.createNode(this, config);
      const { key } = this.credentials;
      if (!key) this.status({ fill: 'red', shape: 'ring', text: 'no key' });

      this.on('input', (message, send, done) => {
        if (!key) return done(new Error('The node has no key'));
        const text = typeof message.payload === 'string' ? message.payload : JSON.stringify(message.payload);
        message['signature'] = createHmac(config.algorithm, key).update(text).digest('hex');
        send(message);
        done();
      });
    },
    { credentials: { key: { type: 'password' } } },
  );
};
export default init;
