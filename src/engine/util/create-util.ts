import { compareObjects } from './compare.ts';
import { parseContextStore } from './context-key.ts';
import { encodeObject } from './encode-object.ts';
import { ensureBuffer, ensureString } from './ensure.ts';
import { createEvaluateNodeProperty, type EvaluateNodeProperty } from './evaluate-property.ts';
import { createIdGenerator } from './ids.ts';
import { createJsonata, type JsonataFunctions } from './jsonata.ts';
import { createPropertyAccess, type PropertyAccess } from './property-access.ts';
import { getSetting } from './setting.ts';
import { normaliseNodeTypeName } from './type-name.ts';

/** What `RED.util` is made of besides what lies here. */
export interface UtilDeps {
  /** Copies a message deeply, `req` and `res` by reference. */
  readonly cloneMessage: (message: unknown) => unknown;
}

/**
 * `RED.util`: one object for every node module; modules add members of their own to it.
 * @remarks All members work without their object: `const { cloneMessage } = RED.util`.
 */
export interface RedUtil extends PropertyAccess, JsonataFunctions {
  readonly encodeObject: typeof encodeObject;
  readonly ensureString: typeof ensureString;
  readonly ensureBuffer: typeof ensureBuffer;
  readonly cloneMessage: UtilDeps['cloneMessage'];
  readonly compareObjects: typeof compareObjects;
  /** 16 hexadecimal digits. */
  readonly generateId: () => string;
  readonly evaluateNodeProperty: EvaluateNodeProperty;
  readonly normaliseNodeTypeName: typeof normaliseNodeTypeName;
  readonly parseContextStore: typeof parseContextStore;
  readonly getSetting: typeof getSetting;
}

/** Creates `RED.util`, with caches of its own. */
export function createUtil(deps: UtilDeps): RedUtil {
  const properties = createPropertyAccess();
  const jsonata = createJsonata(deps);
  return {
    encodeObject,
    ensureString,
    ensureBuffer,
    cloneMessage: deps.cloneMessage,
    compareObjects,
    generateId: createIdGenerator(),
    ...properties,
    evaluateNodeProperty: createEvaluateNodeProperty({ properties, jsonata }),
    normaliseNodeTypeName,
    ...jsonata,
    parseContextStore,
    getSetting,
  };
}
