/**
 * A message that a node sends: any object, by convention with `payload` and `topic`.
 * @remarks Fields of your own: `NodeMessage & { topic: string; count: number }`.
 */
export interface NodeMessage {
  payload?: unknown;
  topic?: string | undefined;
  /** Identifies the message along its way; added where it is absent. */
  _msgid?: string;
  [property: string]: unknown;
}

/** A message that a node receives: it has an id by then. */
export interface NodeMessageInFlow extends NodeMessage {
  _msgid: string;
}

/** What one output may be given: a message, several in sequence, or nothing. */
export type OutputMessages = NodeMessage | readonly (NodeMessage | null | undefined)[] | null | undefined;

/**
 * What `send` takes: one message for the first output, or an array with an entry for each output.
 * @example send({ payload: 1 }); send([first, [second1, second2], null]);
 */
export type SendArgument = NodeMessage | readonly OutputMessages[] | null | undefined;

/** Sends on behalf of the message that is being handled. */
export type NodeSend = (messages: SendArgument) => void;

/** Says that a message has been handled, with the error that happened, if any. */
export type NodeDone = (error?: unknown) => void;
