import { createRequire } from 'node:module';
import { parseContextStore } from './context-key.ts';
import type { JsonataFunctions, JsonataNode } from './jsonata.ts';
import type { PropertyAccess } from './property-access.ts';
import { evaluateEnv } from './setting.ts';

/** Receives a value, or what went wrong. */
export type ValueCallback = (error: unknown, value?: unknown) => void;

/**
 * Evaluates what the editor's typed input stores: a text and its type.
 * @param type `str num bool json re date bin msg flow global jsonata env`; with any other the text is the value.
 * @param callback where given it receives a value of a context store or of a property, and every other value too; text
 * that can't be parsed is thrown either way. `jsonata` needs it.
 * @returns the value, where there is no callback.
 */
export type EvaluateNodeProperty = (
  value: string,
  type: string,
  node?: JsonataNode | null,
  message?: unknown,
  callback?: ValueCallback,
) => unknown;

/** What evaluation is made of. */
export interface EvaluatePropertyDeps {
  readonly properties: Pick<PropertyAccess, 'getMessageProperty' | 'normalisePropertyExpression'>;
  readonly jsonata: JsonataFunctions;
}

/** Creates {@link EvaluateNodeProperty}. */
export function createEvaluateNodeProperty({
  properties,
  jsonata,
}: EvaluatePropertyDeps): EvaluateNodeProperty {
  return (value, type, node, message, callback) => {
    let result: unknown;
    switch (type) {
      case 'msg':
        try {
          result = message ? properties.getMessageProperty(message, value) : value;
        } catch (error) {
          if (!callback) throw error;
          return void callback(error);
        }
        break;
      case 'flow':
      case 'global': {
        if (!node) {
          result = value;
          break;
        }
        const { key, store } = parseContextStore(value);
        const resolved = /\[msg/.test(key) ? properties.normalisePropertyExpression(key, message, true) : key;
        result = node.context()[type].get(resolved, store, callback);
        if (callback) return;
        break;
      }
      case 'jsonata':
        return jsonata.evaluateJSONataExpression(
          jsonata.prepareJSONataExpression(value, node),
          message,
          callback,
        );
      case 'env':
        result = evaluateEnv(value, node);
        break;
      default:
        result = evaluateText(value, type);
    }
    if (!callback) return result;
    callback(null, result);
  };
}

/** The types whose value lies in the text alone. */
function evaluateText(value: string, type: string): unknown {
  switch (type) {
    case 'str':
      return `${value}`;
    case 'num':
      return Number(value);
    case 'bool':
      return /^true$/i.test(value);
    case 'json':
      return JSON.parse(value);
    case 're':
      return new RegExp(value);
    case 'date':
      return now(value);
    case 'bin':
      return bytes(JSON.parse(value));
    default:
      return value;
  }
}

function now(format: string): unknown {
  if (!format) return Date.now();
  if (format === 'object') return new Date();
  if (format === 'iso') return new Date().toISOString();
  const moment = createRequire(import.meta.url)('moment-timezone') as () => {
    format(pattern: string): string;
  };
  return moment().format(format);
}

function bytes(data: unknown): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  if (Array.isArray(data)) return Buffer.from(data);
  throw Object.assign(new Error('Not string or array'), { code: 'INVALID_BUFFER_DATA' });
}
