/** Messages of one frame at most, and the pause between two frames. */
const frameSize = 50;

/** How many messages may wait for one slow reader before debug output is dropped. */
const capacity = 5000;

/** One message, encoded once for all readers. */
export interface Encoded {
  readonly topic: string;
  readonly json: string;
}

/**
 * What waits for one reader. Bounded: a reader that falls behind loses debug messages first (and is told how many),
 * then the older of two messages of the same topic, then the oldest.
 */
export class Outbox {
  #waiting: Encoded[] = [];
  #dropped = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#dropped === 0;
  }

  add(message: Encoded): void {
    if (this.#waiting.length >= capacity) {
      if (message.topic === 'debug') {
        this.#dropped += 1;
        return;
      }
      const spare = this.#waiting.findIndex(({ topic }) => topic === message.topic || topic === 'debug');
      this.#waiting.splice(Math.max(0, spare), 1);
    }
    this.#waiting.push(message);
  }

  /** The next frame's text: a JSON array. Undefined when nothing waits. */
  take(now: number): string | undefined {
    const batch = this.#waiting.splice(0, frameSize);
    // Told once the backlog is gone, so that the notice stands where the gap is.
    if (this.#dropped > 0 && this.#waiting.length === 0) {
      batch.push(droppedNotice(this.#dropped, now));
      this.#dropped = 0;
    }
    return batch.length === 0 ? undefined : `[${batch.map(({ json }) => json).join(',')}]`;
  }
}

function droppedNotice(count: number, timestamp: number): Encoded {
  const msg = `${count} debug messages were not shown: they came faster than this browser reads`;
  return {
    topic: 'debug',
    json: JSON.stringify({
      topic: 'debug',
      data: { level: 30, msg, timestamp, format: `string[${msg.length}]` },
    }),
  };
}
