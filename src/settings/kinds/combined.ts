import { isObject } from '../../contract/json.ts';
import { isAboutMember, type Kind, type Problem, readAs, wrong } from './kind.ts';

/** An array of values of one kind. */
export function listOf<T>(kind: Kind<T>): Kind<readonly T[]> {
  const expected = `an array, each item ${kind.expected}`;
  return {
    expected,
    read(value, path) {
      if (!Array.isArray(value)) return wrong(path, value, expected);
      const items = value.map((item, index) => kind.read(item, `${path}[${index}]`));
      const problems = items.flatMap((item) => (item.is === 'wrong' ? item.problems : []));
      if (problems.length > 0) return { is: 'wrong', problems };
      return readAs(items.flatMap((item) => (item.is === 'read' ? [item.value] : [])));
    },
  };
}

/** One value or an array of them; read as an array. */
export function oneOrMore<T>(kind: Kind<T>): Kind<readonly T[]> {
  const list = listOf(kind);
  const one = mapped(kind, (value): readonly T[] => [value]);
  return {
    expected: `${kind.expected}, or an array of them`,
    read: (value, path) => (Array.isArray(value) ? list : one).read(value, path),
  };
}

/** An object with free names and values of one kind. */
export function recordOf<T>(kind: Kind<T>): Kind<{ readonly [name: string]: T }> {
  const expected = `an object, each value ${kind.expected}`;
  return {
    expected,
    read(value, path) {
      if (!isObject(value)) return wrong(path, value, expected);
      const read: Record<string, T> = {};
      const problems: Problem[] = [];
      for (const [name, member] of Object.entries(value)) {
        const reading = kind.read(member, `${path}.${name}`);
        if (reading.is === 'wrong') problems.push(...reading.problems);
        else read[name] = reading.value;
      }
      return problems.length > 0 ? { is: 'wrong', problems } : readAs(read);
    },
  };
}

/** The first of two kinds that fits. Where neither does, the kind that came closer (to a member) names the problem. */
export function either<A, B>(first: Kind<A>, second: Kind<B>): Kind<A | B> {
  const expected = `${first.expected}, or ${second.expected}`;
  return {
    expected,
    ...(first.fields ? { fields: first.fields } : {}),
    read(value, path) {
      const one = first.read(value, path);
      if (one.is === 'read' || isAboutMember(one.problems, path)) return one;
      const other = second.read(value, path);
      if (other.is === 'read' || isAboutMember(other.problems, path)) return other;
      return { is: 'wrong', problems: one.problems.map((problem) => ({ ...problem, expected })) };
    },
  };
}

/** The kind, or `false` (also the empty text), which switches it off and reads as absent. */
export function orOff<T>(kind: Kind<T>): Kind<T | undefined> {
  const expected = `${kind.expected}, or false`;
  return {
    expected,
    ...(kind.fields ? { fields: kind.fields } : {}),
    read(value, path) {
      if (value === false || value === '') return readAs(undefined);
      const reading = kind.read(value, path);
      if (reading.is === 'read' || isAboutMember(reading.problems, path)) return reading;
      return { is: 'wrong', problems: reading.problems.map((problem) => ({ ...problem, expected })) };
    },
  };
}

/** A kind made of another by a pure function. */
export function mapped<A, B>(kind: Kind<A>, map: (value: A) => B): Kind<B> {
  return {
    expected: kind.expected,
    ...(kind.fields ? { fields: kind.fields } : {}),
    read(value, path) {
      const reading = kind.read(value, path);
      return reading.is === 'read' ? readAs(map(reading.value)) : reading;
    },
  };
}
