/**
 * `sluice/node`: types for authors of node modules. Nothing of it exists at run time.
 * @example
 * import type { Node, NodeDef, NodeInitializer } from 'sluice/node';
 *
 * interface CounterDef extends NodeDef { readonly step: number }
 * type CounterNode = Node & { count: number };
 *
 * const init: NodeInitializer = (RED) => {
 *   RED.nodes.registerType('counter', function (this: CounterNode, config: CounterDef) {
 *     RED.nodes.createNode(this, config);
 *     this.count = 0;
 *     this.on('input', (message, send, done) => {
 *       this.count += config.step;
 *       send({ ...message, payload: this.count });
 *       done();
 *     });
 *   });
 * };
 * export default init;
 */
export type { ContextCallback, ContextKeys, NodeContext, NodeContextData } from '../red/api/context.ts';
export type { HttpApp, HttpHandler, HttpRequest, HttpResponse } from '../red/api/http.ts';
export type {
  NodeDone,
  NodeMessage,
  NodeMessageInFlow,
  NodeSend,
  OutputMessages,
  SendArgument,
} from '../red/api/message.ts';
export type {
  CloseHandler,
  InputHandler,
  Node,
  NodeConstructor,
  NodeDef,
  NodeStatus,
} from '../red/api/node.ts';
export type {
  HookHandler,
  NodeAPI,
  NodeAPIHooks,
  NodeAPILog,
  NodeAPINodes,
  NodeAPIPlugins,
  NodeAPISettings,
  NodeInitializer,
  Plugin,
  PluginDefinition,
  RegisterTypeOptions,
} from '../red/api/red.ts';
export type { JsonataExpression, NodeAPIUtil, TypedInputType } from '../red/api/util.ts';
