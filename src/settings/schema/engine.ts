import { defaulted, group, integer, listOf, oneOf, optional, text } from '../kinds/index.ts';

const milliseconds = integer({ min: 1, unit: 'milliseconds' });

/** The engine process. None of these is in the peer. */
export const engineSettings = {
  engine: group(
    {
      heartbeatIntervalMs: defaulted(milliseconds, 1000, 'How often the engine says that it is alive.'),
      unresponsiveAfterMs: defaulted(
        milliseconds,
        5000,
        'After so long without a heartbeat the engine counts as unresponsive.',
      ),
      callTimeoutMs: defaulted(
        milliseconds,
        20_000,
        'How long the control plane waits for an answer of the engine.',
      ),
      loadTimeoutMs: defaulted(milliseconds, 30_000, 'How long one node set may take to load.'),
      stopTimeoutMs: defaulted(
        milliseconds,
        20_000,
        'How long the engine may take to stop before its process is killed.',
      ),
      restartDelayMs: group(
        {
          min: defaulted(integer({ unit: 'milliseconds' }), 200, 'Before the first restart.'),
          max: defaulted(milliseconds, 30_000, 'The longest; the pause doubles with every crash.'),
        },
        'Pause before an engine that died is started again.',
      ),
      crashLimit: defaulted(
        integer({ min: 1 }),
        3,
        'After so many crashes within `crashWindowMs` the flows are not started again (safe mode).',
      ),
      crashWindowMs: defaulted(milliseconds, 60_000, 'See `crashLimit`.'),
      memoryLimitMb: optional(
        integer({ min: 32, unit: 'megabytes' }),
        'Heap limit of the engine. Default: that of Node.js.',
      ),
      queueLimit: optional(
        integer({ min: 1000, unit: 'messages' }),
        'How many messages may wait for delivery at once; more are dropped, and an error names the node that most wait ' +
          'for. Default: one for every two kilobytes of the heap limit, such as 2,097,152 for 4 gigabytes.',
      ),
      execArgv: defaulted(
        listOf(text),
        [],
        'Options for Node.js in the engine process, such as `--inspect=9229`.',
      ),
      uncaughtErrors: defaulted(
        oneOf(['log', 'restart']),
        'log',
        'What an error that no node caught does: `log` it and go on, or `restart` the engine.',
      ),
    },
    'The process that runs the flows.',
  ),
};
