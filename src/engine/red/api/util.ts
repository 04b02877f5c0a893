import type { Node, NodeDef } from './node.ts';

/** Types of values that the editor's typed input stores. */
export type TypedInputType =
  | 'str'
  | 'num'
  | 'bool'
  | 'json'
  | 're'
  | 'bin'
  | 'date'
  | 'msg'
  | 'flow'
  | 'global'
  | 'env'
  | 'jsonata'
  | (string & {});

/** A compiled JSONata expression. */
export interface JsonataExpression {
  evaluate(input: unknown, bindings?: object): Promise<unknown>;
  assign(name: string, value: unknown): void;
  registerFunction(name: string, implementation: (...values: never[]) => unknown, signature?: string): void;
}

type AnyNode = Pick<Node, 'id' | 'type'> | NodeDef | null | undefined;

/** `RED.util`: one object for all modules; what a module adds to it, every other sees. */
export interface NodeAPIUtil {
  /** A deep copy; `req` and `res` stay the same. */
  cloneMessage<T>(message: T): T;
  ensureString(value: unknown): string;
  ensureBuffer(value: unknown): Buffer;
  compareObjects(one: unknown, other: unknown): boolean;
  /** 16 hexadecimal digits. */
  generateId(): string;
  /** @throws TypeError where the parent is missing; an error with code `INVALID_EXPR`. */
  getMessageProperty(message: object, expression: string): unknown;
  getObjectProperty(object: object, expression: string): unknown;
  /** @returns whether there was a place for it; parents are created where `createMissing`. */
  setMessageProperty(message: object, expression: string, value: unknown, createMissing?: boolean): boolean;
  setObjectProperty(object: object, expression: string, value: unknown, createMissing?: boolean): boolean;
  /** Steps of a property expression, or its canonical text. @throws an error with code `INVALID_EXPR`. */
  normalisePropertyExpression(
    expression: string,
    message?: object,
    asText?: false,
  ): (string | number | unknown[])[];
  normalisePropertyExpression(expression: string, message: object | undefined, asText: true): string;
  /** `my node-type` → `myNodeType`. */
  normaliseNodeTypeName(type: string): string;
  /** The value that a typed input stands for. JSONata needs the callback. */
  evaluateNodeProperty(value: string, type: TypedInputType, node: AnyNode, message?: object): unknown;
  evaluateNodeProperty(
    value: string,
    type: TypedInputType,
    node: AnyNode,
    message: object | undefined,
    callback: (error: Error | null | undefined, result: unknown) => void,
  ): void;
  prepareJSONataExpression(expression: string, node: AnyNode): JsonataExpression;
  evaluateJSONataExpression(
    expression: JsonataExpression,
    message: object,
    callback: (error: Error | null | undefined, result: unknown) => void,
  ): void;
  /** `#:(store)::key` → store and key. */
  parseContextStore(key: string): { store?: string; key: string };
  /** The value of an environment property as the node sees it. */
  getSetting(node: AnyNode, name: string, flow?: unknown): unknown;
  /** Turns `msg` into a text for the debug sidebar and says in `format` what it was. */
  encodeObject<T extends object>(
    record: T,
    options?: { maxLength?: number },
  ): T & { msg: unknown; format?: string };
  // biome-ignore lint/suspicious/noExplicitAny: whatever another module has put there
  [added: string]: any;
}
