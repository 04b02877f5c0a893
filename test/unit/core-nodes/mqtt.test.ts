import { afterEach, expect, it } from 'vitest';
import helper from '../../../src/testing/index.ts';
import { core, exchange, type Message, received } from '../../support/core-node.ts';
import { describeWith, portOf } from '../../support/services.ts';

const place = { z: 'tab', x: 0, y: 0 };

afterEach(() => helper.unload());

/** Topics of this run alone: the broker may have other users. */
const base = `sluice/${process.pid}/${Date.now()}`;

const broker = {
  id: 'b',
  type: 'mqtt-broker',
  broker: '127.0.0.1',
  port: String(portOf('Mosquitto')),
  clientid: '',
  autoConnect: true,
  usetls: false,
  protocolVersion: '5',
  keepalive: '60',
  cleansession: true,
  autoUnsubscribe: true,
  birthTopic: `${base}/birth`,
  birthPayload: 'born',
  birthQos: '0',
  birthRetain: 'false',
  birthMsg: {},
  closeTopic: '',
  closePayload: '',
  willTopic: '',
  willPayload: '',
  userProps: '',
  sessionExpiry: '',
};

/** `mqtt out`, and `mqtt in` wired to `out`, once both are connected. */
async function load(subscription: Message): Promise<void> {
  await helper.load(
    [core('network/10-mqtt'), core('network/05-tls')],
    [
      { id: 'tab', type: 'tab' },
      broker,
      {
        id: 'in',
        type: 'mqtt in',
        ...place,
        qos: '1',
        datatype: 'auto-detect',
        broker: 'b',
        nl: false,
        rap: true,
        rh: 0,
        inputs: 0,
        ...subscription,
        wires: [['out']],
      },
      { id: 'send', type: 'mqtt out', ...place, topic: '', qos: '1', retain: '', broker: 'b', wires: [] },
      { id: 'out', type: 'helper', ...place, wires: [] },
    ],
  );
}

await describeWith('Mosquitto', 'mqtt in and mqtt out', () => {
  it('connect, say that they are there, and carry payloads of every type', async () => {
    await load({ topic: `${base}/#` });
    expect(await received('out')).toMatchObject([{ topic: `${base}/birth`, payload: 'born' }]);
    const carry = async (payload: unknown) =>
      (await exchange('send', { topic: `${base}/x`, payload }))['payload'];
    expect(await carry('text')).toBe('text');
    expect(await carry({ a: 1 })).toEqual({ a: 1 });
    expect(await carry(Buffer.from([0, 255]))).toEqual(Buffer.from([0, 255]));
  });

  it('carry the properties of MQTT 5', async () => {
    await load({ topic: `${base}/#` });
    await received('out');
    expect(
      await exchange('send', {
        topic: `${base}/x`,
        payload: 'p',
        qos: 2,
        userProperties: { k: 'v' },
        contentType: 'text/x-own',
        correlationData: Buffer.from('c'),
        responseTopic: 'r',
      }),
    ).toMatchObject({
      userProperties: { k: 'v' },
      contentType: 'text/x-own',
      correlationData: Buffer.from('c'),
      responseTopic: 'r',
    });
  });

  it('subscribe when a message tells them to', async () => {
    await load({ topic: '', inputs: 1 });
    await expect.poll(() => helper.getNode('in').brokerConn.connected).toBe(true);
    helper.getNode('in').receive({ action: 'subscribe', topic: [{ topic: `${base}/dynamic`, qos: 1 }] });
    const told = received('out');
    const sending = setInterval(
      () => helper.getNode('send').receive({ topic: `${base}/dynamic`, payload: 1 }),
      30,
    );
    try {
      expect(await told).toMatchObject([{ topic: `${base}/dynamic`, payload: 1 }]);
    } finally {
      clearInterval(sending);
    }
  });
});
