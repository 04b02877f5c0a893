import { describe } from 'vitest';
import type { FlowRig } from '../support/flow-rig.ts';
import { quiet, sameOnBoth, tab } from '../support/same-on-both.ts';

const flows = tab('t', [
  {
    id: 's',
    type: 'probe',
    wires: [['a', 'x'], ['b']],
    code: 'send([msg, { payload: "second" }]); done(msg.bad)',
  },
  { id: 'a', type: 'probe', name: 'A', code: 'record([node.id, msg.payload, msg.mark]); done()' },
  { id: 'b', type: 'probe', code: 'record([node.id, msg.payload, msg.mark]); done()' },
  { id: 'j', type: 'junction', wires: [['a']] },
  { id: 'e', type: 'catch', wires: [['f']] },
  { id: 'f', type: 'probe', code: 'record([node.id, msg.error])' },
]);

/** What of an event can be compared. */
const shape = (event: unknown): unknown =>
  JSON.parse(
    JSON.stringify(event, (key, value: unknown) =>
      key === 'node' && typeof value === 'object' && value && 'type' in value
        ? `(node ${(value as unknown as { id: string }).id})`
        : value,
    ),
  );

function hooked(
  hooks: Record<string, unknown> | ((rig: FlowRig) => Record<string, unknown>),
  ...messages: object[]
): (rig: FlowRig) => Promise<void> {
  return async (rig) => {
    await rig.deploy(flows);
    const all = typeof hooks === 'function' ? hooks(rig) : hooks;
    for (const [name, handler] of Object.entries(all)) rig.hooks.add(name, handler);
    for (const message of messages.length > 0 ? messages : [{ payload: 1 }]) {
      rig.inject('s', { _msgid: 'm', ...message });
      await quiet(rig);
    }
  };
}

describe('hooks', () => {
  const names = ['onSend', 'preRoute', 'preDeliver', 'postDeliver', 'onReceive', 'postReceive', 'onComplete'];
  const watchAll = (rig: FlowRig) =>
    Object.fromEntries(
      names.map((name) => [`${name}.test`, (event: unknown) => void rig.seen.push([name, shape(event)])]),
    );
  sameOnBoth('all in order', hooked(watchAll));
  sameOnBoth('all in order, with an error', hooked(watchAll, { payload: 1, bad: 'bad' }));
  sameOnBoth('all in order, synchronous delivery', hooked(watchAll), {
    settings: { runtimeSyncDelivery: true },
  });
  sameOnBoth('through a junction', async (rig) => {
    await hooked(watchAll)(rig);
    rig.inject('j', { _msgid: 'j', payload: 1 });
    await quiet(rig);
  });
  const results: [string, unknown][] = [
    ['false', () => false],
    ['a text', (_: unknown) => 'text'],
    ['null', (_: unknown) => null],
    ['true', (_: unknown) => true],
    ['a promise of nothing', async (_: unknown) => {}],
    ['a promise of false', async (_: unknown) => false],
    ['a promise of a text', async (_: unknown) => 'text'],
    [
      'a rejection',
      async (_: unknown) => {
        throw new Error('rejected');
      },
    ],
    [
      'an exception',
      (_: unknown) => {
        throw new Error('thrown');
      },
    ],
    ['the callback', (_: unknown, done: () => void) => done()],
    [
      'the callback, later',
      (_: unknown, done: () => void) => {
        // Not a timer: two of them may run in one turn of the event loop or in two.
        setImmediate(done);
      },
    ],
    ['the callback with false', (_: unknown, done: (result: unknown) => void) => done(false)],
    ['the callback with an error', (_: unknown, done: (result: unknown) => void) => done(new Error('told'))],
    ['the callback with null', (_: unknown, done: (result: unknown) => void) => done(null)],
    ['no parameter and false', new Function('return false')],
  ];
  for (const name of names) {
    for (const [result, handler] of results) {
      sameOnBoth(
        `${name} gives ${result}`,
        hooked((rig) => ({
          [name]: Object.defineProperty(
            (...values: unknown[]) => {
              rig.seen.push(name);
              return (handler as (...values: unknown[]) => unknown)(...values);
            },
            'length',
            { value: (handler as { length: number }).length },
          ),
          [`${name}.next`]: (_: unknown) => void rig.seen.push(`${name} next`),
        })),
      );
    }
  }
  sameOnBoth(
    'a handler changes the message',
    hooked({
      onSend: (events: { msg: Record<string, unknown> }[]) => {
        for (const event of events) event.msg = { ...event.msg, mark: 'replaced' };
      },
      preDeliver: (event: { msg: Record<string, unknown> }) => {
        event.msg['mark'] += ' marked';
      },
      onReceive: (event: { msg: Record<string, unknown> }) => {
        event.msg = { payload: 'not used' };
      },
    }),
  );
  sameOnBoth(
    'a handler changes the destination',
    hooked({
      preRoute: (event: { destination: { id: string } }) => {
        if (event.destination.id === 'a') event.destination.id = 'b';
      },
    }),
  );
  sameOnBoth(
    'a handler changes the message after delivery',
    hooked({
      postDeliver: (event: { msg: unknown }) => {
        event.msg = { payload: 'other', _msgid: 'm' };
      },
    }),
  );
  sameOnBoth(
    'a handler adds and removes events',
    hooked({
      onSend: (events: unknown[]) => {
        events.splice(1);
      },
    }),
  );
  sameOnBoth(
    'copies are made between preRoute and preDeliver',
    hooked((rig) => {
      let first: unknown;
      return {
        onSend: (events: { msg: unknown }[]) => {
          first = events[0]?.msg;
        },
        preRoute: (event: { msg: unknown; cloneMessage: boolean }) =>
          void rig.seen.push(['preRoute', event.msg === first, event.cloneMessage]),
        preDeliver: (event: { msg: unknown; cloneMessage: boolean }) =>
          void rig.seen.push(['preDeliver', event.msg === first, event.cloneMessage]),
      };
    }),
  );
  sameOnBoth('labels', async (rig) => {
    await rig.deploy(flows);
    const seen = (what: string) => (_: unknown) => void rig.seen.push(what);
    const attempts = [
      () => rig.hooks.add('onSend.one', seen('one')),
      () => rig.hooks.add('onSend.one', seen('again')),
      () => rig.hooks.add('onSend.two', seen('two')),
      () => rig.hooks.add('preRoute.one', seen('route one')),
      () => rig.hooks.add('onSend', seen('unlabelled')),
      () => rig.hooks.add('onSend', seen('unlabelled too')),
      () => rig.hooks.add('onError', seen('no')),
      () => rig.hooks.add('preInstall.x', seen('no')),
      () => rig.hooks.remove('onSend'),
      () => rig.hooks.remove('onSend.unknown'),
      () => rig.inject('s', { _msgid: '1' }),
      () => rig.hooks.remove('onSend.two'),
      () => rig.inject('s', { _msgid: '2' }),
      () => rig.hooks.remove('*.one'),
      () => rig.inject('s', { _msgid: '3' }),
    ];
    const outcomes = attempts.map((attempt) => {
      try {
        attempt();
        return [
          'onSend',
          'onSend.one',
          'onSend.two',
          'preRoute',
          'preRoute.one',
          'onReceive',
          'preInstall',
        ].filter((name) => rig.hooks.has(name));
      } catch (error) {
        return `${error}`;
      }
    });
    rig.hooks.clear();
    return [outcomes, rig.hooks.has('onSend')];
  });
  sameOnBoth(
    'a handler that removes itself and the next',
    hooked(
      (rig) => ({
        'onSend.self': (_: unknown) => {
          rig.seen.push('self');
          rig.hooks.remove('onSend.self');
          rig.hooks.remove('onSend.next');
        },
        'onSend.next': (_: unknown) => void rig.seen.push('next'),
        'onSend.last': (_: unknown) => void rig.seen.push('last'),
      }),
      { payload: 1 },
      { payload: 2 },
    ),
  );
  sameOnBoth('trigger by code', async (rig) => {
    const hooks = rig.hooks as unknown as {
      trigger(name: string, event: unknown, done?: (result: unknown) => void): Promise<unknown>;
    };
    const outcomes: unknown[] = [await hooks.trigger('preInstall', {})];
    rig.hooks.add('preInstall.a', (event: { n: number }) => {
      event.n++;
    });
    const event = { n: 1 };
    outcomes.push(await hooks.trigger('preInstall', event), event);
    hooks.trigger('preInstall', event, (result) => outcomes.push(['called', result]));
    rig.hooks.add('preInstall.b', async (_: unknown) => false);
    outcomes.push(await hooks.trigger('preInstall', event));
    rig.hooks.remove('preInstall.b');
    for (const fails of [
      () => {
        throw new Error('x');
      },
      (_: unknown, done: (result: unknown) => void) => done('text'),
    ]) {
      rig.hooks.add('preInstall.c', Object.defineProperty(fails, 'length', { value: fails.length || 1 }));
      outcomes.push(
        await hooks
          .trigger('preInstall', event)
          .catch((error) => [error instanceof Error, error.message, error.hook]),
      );
      rig.hooks.remove('preInstall.c');
    }
    return outcomes;
  });
});
