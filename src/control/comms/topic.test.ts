import { describe, expect, it } from 'vitest';
import { topicMatcher } from './topic.ts';

describe('topicMatcher', () => {
  it.each([
    ['notification/#', 'notification/runtime-state', true],
    ['notification/#', 'notification/node/added', true],
    ['notification/#', 'notification', true],
    ['notification/#', 'notifications', false],
    ['status/+', 'status/a', true],
    ['status/+', 'status/a/b', false],
    ['debug', 'debug', true],
    ['debug', 'debug/x', false],
    ['#', 'debug', false],
    ['a.b', 'axb', false],
  ])('%s against %s: %s', (pattern, topic, expected) => {
    expect(topicMatcher(pattern)(topic)).toBe(expected);
  });
});
