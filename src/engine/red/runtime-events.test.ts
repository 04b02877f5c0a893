import { describe, expect, it } from 'vitest';
import { bridgeComms } from './comms-bridge.ts';
import { RuntimeEvents } from './runtime-events.ts';

describe('RED.events', () => {
  it('warns of old names, wherever they are listened to, and keeps them working', () => {
    const warned: string[] = [];
    const events = new RuntimeEvents((text) => warned.push(text));
    const heard: string[] = [];
    events.on('nodes-started', () => heard.push('on'));
    events.once('nodes-stopped', () => heard.push('once'));
    events.addListener('flows:started', () => heard.push('new'));
    for (const name of ['nodes-started', 'nodes-stopped', 'nodes-stopped', 'flows:started'])
      events.emit(name);
    expect(heard).toEqual(['on', 'once', 'new']);
    expect(warned).toEqual([
      expect.stringMatching(/"nodes-started" is now called "flows:started" \(used at .*runtime-events\.test/),
      expect.stringMatching(/"nodes-stopped" is now called "flows:stopped" \(used at .*runtime-events\.test/),
    ]);
  });
});

describe('what code says on RED.events', () => {
  it('reaches the editors, but for what the control plane says itself', () => {
    const events = new RuntimeEvents(() => {});
    const published: unknown[] = [];
    const stop = bridgeComms(events, (...message) => published.push(message));
    events.emit('comms', { topic: 'own', data: 1, retain: true });
    events.emit('runtime-event', { id: 'own', payload: { text: 'hi' } });
    events.emit('runtime-event', { id: 'runtime-state', payload: { state: 'start' }, retain: true });
    events.emit('event-log', { id: 'i', payload: { data: 'line' } });
    events.emit('comms', undefined);
    stop();
    events.emit('comms', { topic: 'late', data: 1 });
    expect(published).toEqual([
      ['own', 1, true],
      ['notification/own', { text: 'hi' }, false],
      ['event-log/i', { data: 'line' }, false],
    ]);
  });
});
