/**
 * Compiles a subscription pattern into a test of topics: `+` stands for one level, a trailing `/#` for the rest or
 * nothing, everything else for itself. A lone `#` matches nothing.
 */
export function topicMatcher(pattern: string): (topic: string) => boolean {
  const rest = pattern.endsWith('/#');
  const levels = (rest ? pattern.slice(0, -2) : pattern).split('/');
  return (topic) => {
    const given = topic.split('/');
    if (rest ? given.length < levels.length : given.length !== levels.length) return false;
    return levels.every((level, i) => (level === '+' ? given[i] !== '' : level === given[i]));
  };
}
