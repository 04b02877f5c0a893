/** The `node` that code sees; each call has its own. */
const members = ['id', 'name', 'path', 'outputCount', 'log', 'error', 'warn', 'debug', 'trace'];

function nodeObject(more: string): string {
  return `var node = {${members.map((name) => `${name}:__node__.${name}`).join(',')},${more}};`;
}

/** How the body of a function node is compiled. */
export interface BodyOptions {
  readonly isAsync: boolean;
  /** It speaks of `node`. */
  readonly usesNode: boolean;
  /** Names of the sandbox that are handed over once, since looking each up there takes long. */
  readonly handed: readonly string[];
}

/**
 * Source text that gives a function which, called with the values of `handed`, gives the function for messages.
 * @remarks What the user wrote begins on the second line, at the first column: positions in error messages count on it.
 */
export function bodySource(text: string, { isAsync, usesNode, handed }: BodyOptions): string {
  const send = 'send:function(msgs,cloneMsg){__node__.send(__send__,__msgid__,msgs,cloneMsg);}';
  const more = `on:__node__.on,status:__node__.status,${send},done:__done__,linkcall:__node__.linkcall`;
  // Never empty: as the first statement, a text such as "use strict" would be a directive.
  const head = usesNode ? `var __msgid__ = msg._msgid;${nodeObject(more)}` : ';';
  return `(function(${handed.join(',')}){return ${isAsync ? 'async ' : ''}function(msg,__send__,__done__){${head}
${text}
}})`;
}

/** Source text of the code that runs when the node starts; its value is a promise. */
export function setupSource(text: string): string {
  const send =
    'send:function(msgs,cloneMsg){__node__.send(__initSend__,RED.util.generateId(),msgs,cloneMsg);}';
  return `(async function(){${nodeObject(`status:__node__.status,${send}`)}
${text}
})()`;
}

/** Source text of the code that runs when the node stops. */
export function cleanupSource(text: string): string {
  const send = 'send:function(){__node__.error("Cannot send from close function");}';
  return `(function(){${nodeObject(`status:__node__.status,${send}`)}
${text}
})()`;
}
