/** `RED`, as far as the probe nodes need it. */
interface ProbeRed {
  readonly nodes: {
    createNode(node: object, config: object): void;
    registerType(type: string, nodeClass: unknown, options?: object): void;
    registerSubflow(definition: unknown): void;
  };
  readonly util: object;
}

/** The configuration of a probe: code by the moment at which it runs. Each sees `node config RED record`. */
interface ProbeConfig {
  /** When the node is made. */
  readonly init?: string;
  /** When a message comes; sees `msg send done` too. Without it the message is recorded. */
  readonly code?: string;
  /** How many parameters the input handler has; default 3. */
  readonly parameters?: number;
  /** When the node closes; sees `removed done` as far as there are parameters. */
  readonly close?: string;
  readonly closeParameters?: number;
}

/** A probe in a flow: on tab `t`, with no wires. */
export function probe(id: string, more: ProbeConfig & { readonly [property: string]: unknown } = {}) {
  return { id, type: 'probe', z: 't', x: 0, y: 0, wires: [], ...more };
}

/** Core sets that every rig has. */
export const rigSets = [
  '05-junction',
  '24-complete',
  '25-catch',
  '25-status',
  '60-link',
  '90-comment',
  '91-global-config',
] as const;

type Code = (...values: unknown[]) => unknown;

/**
 * Defines the node types that tests build flows of: `probe`, whose behaviour is code in the flow itself, `config`, which
 * only records that it was made, and `secret`, a config node with credentials.
 */
export function defineProbes(RED: ProbeRed, record: (entry: unknown) => void): void {
  const common = ['node', 'config', 'RED', 'record'];
  const compile = (code: string, ...names: string[]): Code => new Function(...common, ...names, code) as Code;

  const probe = () =>
    // biome-ignore lint/suspicious/noExplicitAny: an instance of a node type, which is made by the runtime
    function ProbeNode(this: any, config: ProbeConfig) {
      RED.nodes.createNode(this, config);
      const base = [this, config, RED, record] as const;
      if (config.init !== undefined) compile(config.init).call(this, ...base);
      const code = compile(config.code ?? 'record([node.id, msg])', 'msg', 'send', 'done');
      const run = (...values: unknown[]) => code.call(this, ...base, ...values);
      this.on('input', withParameters(run, config.parameters ?? 3));
      if (config.close === undefined) return;
      const close = compile(config.close, 'removed', 'done');
      const parameters = config.closeParameters ?? 0;
      const arrange = (values: unknown[]) => (parameters === 2 ? values : [undefined, ...values]);
      this.on(
        'close',
        withParameters((...values) => close.call(this, ...base, ...arrange(values)), parameters),
      );
    };
  RED.nodes.registerType('probe', probe());
  RED.nodes.registerType('late', probe());

  RED.nodes.registerType('config', function ConfigNode(this: object, config: { id: string }) {
    RED.nodes.createNode(this, config);
    record(['made', config.id]);
  });
  RED.nodes.registerType(
    'secret',
    function SecretNode(this: object, config: object) {
      RED.nodes.createNode(this, config);
    },
    { credentials: { user: { type: 'text' }, password: { type: 'password' } } },
  );
}

/** Functions say by their length how many parameters they want. */
function withParameters(run: Code, parameters: number): Code {
  switch (parameters) {
    case 0:
      return () => run();
    case 1:
      return (a) => run(a);
    case 2:
      return (a, b) => run(a, b);
    case 3:
      return (a, b, c) => run(a, b, c);
    default:
      return (a, b, c, d) => run(a, b, c, d);
  }
}
