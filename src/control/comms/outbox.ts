/** Messages of one frame at most, and the pause between two frames. */
const frameSize = 50;

/** How many messages, and how many characters of them, may wait for one slow reader before debug output is dropped. */
const capacity = { messages: 5000, characters: 16 * 1024 * 1024 };

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
  #characters = 0;
  #dropped = 0;

  get isEmpty(): boolean {
    return this.#waiting.length === 0 && this.#dropped === 0;
  }

  add(message: Encoded): void {
    while (this.#isFullFor(message)) {
      if (message.topic === 'debug') {
        this.#dropped += 1;
        return;
      }
      const spare = this.#waiting.findIndex(({ topic }) => topic === message.topic || topic === 'debug');
      const [gone] = this.#waiting.splice(Math.max(0, spare), 1);
      this.#characters -= gone?.json.length ?? 0;
      if (gone?.topic === 'debug') this.#dropped += 1;
    }
    this.#waiting.push(message);
    this.#characters += message.json.length;
  }

  /** The next frame's text: a JSON array. Undefined when nothing waits. */
  take(now: number): string | undefined {
    const batch = this.#waiting.splice(0, frameSize);
    for (const { json } of batch) this.#characters -= json.length;
    // Told once the backlog is gone, so that the notice stands where the gap is.
    if (this.#dropped > 0 && this.#waiting.length === 0) {
      batch.push(droppedNotice(this.#dropped, now));
      this.#dropped = 0;
    }
    return batch.length === 0 ? undefined : `[${batch.map(({ json }) => json).join(',')}]`;
  }

  #isFullFor({ json }: Encoded): boolean {
    const { length } = this.#waiting;
    if (length === 0) return false;
    return length >= capacity.messages || this.#characters + json.length > capacity.characters;
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
