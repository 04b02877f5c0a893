import { describe, expect, it } from 'vitest';
import { Multiplayer } from './multiplayer.ts';

/** Some connections that note what they are sent. */
function playing(...connections: string[]) {
  const heard: { to: string; topic: string; data: Record<string, unknown> }[] = [];
  const multiplayer = new Multiplayer(({ topic, data }, chosen) => {
    for (const to of connections.filter(chosen))
      heard.push({ to, topic: topic.replace('multiplayer/', ''), data: structuredClone(data) as never });
  });
  const say = (session: string, topic: string, data: object, user: object | null = null) =>
    multiplayer.receive({ session, topic: `multiplayer/${topic}`, user, data });
  return { multiplayer, say, heard: () => heard.splice(0) };
}

describe('Multiplayer', () => {
  it('tells the new one who is there, and the others of the new one', () => {
    const { say, heard } = playing('a', 'b');
    say('a', 'connect', { session: 'secretA' }, { username: 'ann', permissions: ['*'], image: 'a.png' });
    expect(heard()).toEqual([
      expect.objectContaining({ to: 'b', topic: 'connection-added' }),
      {
        to: 'a',
        topic: 'init',
        data: {
          session: expect.stringMatching(/^PUB[0-9a-f]{16}PUB$/),
          // Nothing but what others may know of a user.
          sessions: [
            { session: expect.any(String), user: { username: 'ann', image: 'a.png' }, active: true },
          ],
        },
      },
    ]);
    say('b', 'connect', { session: 'secretB' });
    const [toA, toB] = heard();
    expect(toA).toMatchObject({
      to: 'a',
      topic: 'connection-added',
      data: { user: { anonymous: true, username: expect.stringMatching(/^Anon \d+$/) } },
    });
    expect(toB?.data['sessions']).toHaveLength(2);
    expect(JSON.stringify([toA, toB])).not.toContain('secret');
  });

  it('passes on where somebody is, and nothing that is no place', () => {
    const { say, heard } = playing('a', 'b');
    say('a', 'connect', { session: 'A' });
    heard();
    say('a', 'location', { workspace: 't1', node: 'n1', cursor: { x: 1, y: 2, z: 3 }, more: '<b>' });
    const [told, ...more] = heard();
    expect(more).toEqual([]);
    expect(told).toEqual({
      to: 'b',
      topic: 'location',
      data: { session: expect.any(String), workspace: 't1', node: 'n1', cursor: { x: 1, y: 2 } },
    });
    say('a', 'location', { workspace: '<img>' });
    say('a', 'location', { cursor: { x: 'left', y: 2 } });
    say('b', 'location', { workspace: 't1' });
    expect(heard()).toEqual([]);
  });

  it('knows an editor again that comes back', () => {
    const { say, heard, multiplayer } = playing('a', 'b', 'a2');
    say('a', 'connect', { session: 'A' });
    const { session } = heard()[0]?.data ?? {};
    multiplayer.closed('a');
    expect(heard()[0]).toMatchObject({ topic: 'connection-removed', data: { session } });
    say('a2', 'connect', { session: 'A' });
    expect(heard().find(({ to }) => to === 'a2')?.data['session']).toBe(session);
    say('a2', 'disconnect', {});
    expect(heard()[0]?.data).toEqual({ session, disconnected: true });
    // Who left for good is somebody new.
    say('a', 'connect', { session: 'A' });
    expect(heard().find(({ topic }) => topic === 'init')?.data['session']).not.toBe(session);
    multiplayer.close();
  });

  it('takes no id that is not one', () => {
    const { say, heard } = playing('a', 'b');
    for (const session of ['', 'a b', 7, 'x'.repeat(65)]) say('a', 'connect', { session });
    expect(heard()).toEqual([]);
  });
});
