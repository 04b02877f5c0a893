/**
 * How frames reach the other plane. A frame is a text (JSON); what it means is the {@link Link}'s affair.
 * @remarks Keeps order. Delivers nothing after `onClose` was told. Not here: framing, answers, limits.
 */
export interface Transport {
  /** Takes a text for the other side, in order. Ignored once closed. */
  send(text: string): void;
  /** Characters that were sent and that the other side's pipe has not yet taken. */
  readonly buffered: number;
  /** Told of each text from the other side. One listener. */
  onText(listener: (text: string) => void): void;
  /** Told once, when the other side went or `close` was called. One listener. */
  onClose(listener: () => void): void;
  /** Lets go of the other side. */
  close(): void;
}
