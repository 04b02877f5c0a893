import type { Node, Program } from 'acorn';
import { parse } from 'acorn';
import { base, full, recursive } from 'acorn-walk';

/** What the text of a function node says about how it is to be run. */
export interface Analysis {
  /** It says itself when it has done with a message. */
  readonly completes: boolean;
  /** It does not wait, and leaves nothing that it starts to promises, ticks or timers. */
  readonly finishesAtOnce: boolean;
  /** The names it speaks of, its own included. */
  readonly names: ReadonlySet<string>;
  /** The names it gives new values to. */
  readonly assigned: ReadonlySet<string>;
}

/** Names and members that let code run later, or that run code which cannot be looked into. */
const later: ReadonlySet<string> = new Set(
  `then catch finally Promise promisify fromAsync queueMicrotask nextTick setTimeout setInterval setImmediate linkcall
   on once eval Function process require fetch`.split(/\s+/),
);
/** `node.done()` without a value, perhaps in a comment. */
export const callsDone: RegExp = /node\.done\s*\(\s*\)/;
/** Members of contexts that take a callback last. */
const mayCallBack: ReadonlySet<string> = new Set(['get', 'set', 'keys']);

/**
 * Reads the text of a function node.
 * @returns undefined where it can't be read as the body of one function, or where `eval` may speak of any name: then
 * nothing is known of it.
 */
export function analyse(text: string): Analysis | undefined {
  const body = parseBody(text);
  if (body === undefined) return undefined;
  const names = new Set<string>();
  const assigned = new Set<string>();
  // As published: who only ever hands `done` something is not taken to call it for every message.
  const mayComplete = callsDone.test(text);
  let completes = false;
  let finishesAtOnce = true;
  full(body, (node) => {
    const found = node as Syntax;
    switch (found.type) {
      case 'Identifier':
        names.add(found.name);
        if (later.has(found.name)) finishesAtOnce = false;
        break;
      case 'MemberExpression':
        if (!found.computed && later.has(nameOf(found.property))) finishesAtOnce = false;
        break;
      case 'CallExpression':
        if (mayComplete && isMember(found.callee, 'node', 'done')) completes = true;
        if (handsCallback(found)) finishesAtOnce = false;
        break;
      case 'AssignmentExpression':
      case 'ForInStatement':
      case 'ForOfStatement':
        for (const name of namesIn(found.left)) assigned.add(name);
        break;
      case 'UpdateExpression':
        for (const name of namesIn(found.argument)) assigned.add(name);
        break;
      case 'FunctionExpression':
      case 'FunctionDeclaration':
      case 'ArrowFunctionExpression':
        if (found.async) finishesAtOnce = false;
        break;
      case 'ImportExpression':
        finishesAtOnce = false;
        break;
    }
  });
  if (names.has('eval')) return undefined;
  if (finishesAtOnce && /\bawait\b/.test(text)) finishesAtOnce = !awaits(body);
  return { completes, finishesAtOnce, names, assigned };
}

/** Nodes of the tree, as far as they are looked at. */
type Syntax = Node & {
  readonly name: string;
  readonly computed: boolean;
  readonly async: boolean;
  readonly await: boolean;
  readonly kind: string;
  readonly callee: Syntax;
  readonly object: Syntax;
  readonly property: Syntax;
  readonly left: Node;
  readonly argument: Node;
  readonly arguments: readonly Syntax[];
};

/** The statements of the text, as they stand within an async function. */
function parseBody(text: string): Node | undefined {
  let program: Program;
  try {
    program = parse(`(async function(){\n${text}\n})`, { ecmaVersion: 'latest' });
  } catch {
    return undefined;
  }
  const [statement] = program.body;
  // Text that closes the function and opens another is code of another shape than it seems.
  if (program.body.length !== 1 || statement?.type !== 'ExpressionStatement') return undefined;
  const { expression } = statement;
  return expression.type === 'FunctionExpression' ? expression.body : undefined;
}

type Walk = (node: Node, state: unknown, next: (node: Node, state: unknown) => void) => void;

/** Whether there is an `await` that is not inside a function of its own. */
function awaits(body: Node): boolean {
  let found = false;
  const walkers = { ...base } as unknown as Record<string, Walk>;
  for (const type of ['AwaitExpression', 'ForOfStatement', 'VariableDeclaration']) {
    const walk = walkers[type] as Walk;
    walkers[type] = (node, state, next) => {
      const { await: isAwaiting, kind } = node as Syntax;
      if (type === 'AwaitExpression' || isAwaiting || kind === 'await using') found = true;
      walk(node, state, next);
    };
  }
  walkers['Function'] = () => {};
  recursive(body, undefined, {}, walkers as unknown as typeof base);
  return found;
}

function namesIn(pattern: Node): string[] {
  if (pattern.type === 'MemberExpression') {
    const { object, property } = pattern as Syntax;
    // Members of the global object are names too; quoted ones are read likewise.
    const isGlobal = object.type === 'ThisExpression' || nameOf(object) === 'globalThis';
    return isGlobal ? [nameOf(property) || String((property as Syntax & { value?: unknown }).value)] : [];
  }
  const names: string[] = [];
  full(pattern, (node) => {
    if (node.type === 'Identifier') names.push((node as Syntax).name);
  });
  return names;
}

function isMember(callee: Syntax, object: string, property: string): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === object &&
    nameOf(callee.property) === property
  );
}

function handsCallback({ callee, arguments: values }: Syntax): boolean {
  if (callee.type !== 'MemberExpression' || !mayCallBack.has(nameOf(callee.property))) return false;
  const last = values.at(-1)?.type;
  return last === 'FunctionExpression' || last === 'ArrowFunctionExpression';
}

function nameOf(node: Syntax): string {
  return node.type === 'Identifier' ? node.name : '';
}
