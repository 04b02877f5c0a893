import type { CompleteEvent, Message, ReceiveEvent } from '../messaging/message.ts';
import { inner } from './inner.ts';
import type { InputHandler, Node } from './node.ts';

/** Adds a handler to the `input` event. */
export function addInputHandler(node: Node, handler: InputHandler): void {
  if (handler.length === 3) node._expectedDoneCount++;
  if (node._inputCallbacks !== null) {
    node._inputCallbacks.push(handler);
  } else if (node._inputCallback !== null) {
    node._inputCallbacks = [node._inputCallback, handler];
    node._inputCallback = null;
  } else {
    node._inputCallback = handler;
  }
}

/** Takes a handler away again. */
export function removeInputHandler(node: Node, handler: InputHandler): void {
  if (handler.length === 3) node._expectedDoneCount--;
  if (node._inputCallback === handler) {
    node._inputCallback = null;
    return;
  }
  const several = node._inputCallbacks;
  if (several === null) return;
  const at = several.indexOf(handler);
  if (at >= 0) several.splice(at, 1);
  if (several.length === 1) {
    node._inputCallback = several[0] ?? null;
    node._inputCallbacks = null;
  }
}

/** The `input` event: hooks, handlers, metrics. */
export function handleInput(node: Node, message: Message): void {
  const { hooks, log } = node[inner].services;
  if (log.metric()) node.metric('receive', message);
  if (!hooks.receiving) {
    callInputHandlers(node, message);
    return;
  }
  const event: ReceiveEvent = { msg: message, destination: { id: node.id, node } };
  hooks.trigger('onReceive', event, (result) => {
    if (result) {
      node.error(result);
    } else if (result !== false) {
      callInputHandlers(node, message);
      hooks.trigger('postReceive', event, (error) => {
        if (error) node.error(error);
      });
    }
  });
}

function callInputHandlers(node: Node, message: Message): void {
  const { send } = node[inner];
  if (node._inputCallback !== null) {
    try {
      node._inputCallback(message, send, (error) => complete(node, message, error));
    } catch (error) {
      node.error(error, message);
    }
    return;
  }
  if (node._inputCallbacks === null) return;
  let done = 0;
  for (const handler of [...node._inputCallbacks]) {
    try {
      handler.call(node, message, send, (error) => {
        done++;
        if (done === node._expectedDoneCount) complete(node, message, error);
      });
    } catch (error) {
      node.error(error, message);
    }
  }
}

/** A handler said that it has done with a message, or failed. */
function complete(node: Node, message: Message, error: unknown): void {
  const { hooks, log } = node[inner].services;
  if (log.metric()) node.metric('done', message);
  if (hooks.completing) {
    const event: CompleteEvent = { msg: message, error, node: { id: node.id, node } };
    hooks.trigger('onComplete', event, (result) => {
      if (result) node.error(result);
    });
  }
  if (error) node.error(error, message);
  else node._flow?.handleComplete(node, message);
}
