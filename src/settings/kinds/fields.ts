import { isObject } from '../../contract/json.ts';
import {
  type DefaultedField,
  type Field,
  type Fields,
  type Kind,
  mismatch,
  type OptionalField,
  type Problem,
  type ReadAs,
  type Reading,
  type RequiredField,
  readAs,
  wrong,
} from './kind.ts';

/** A setting that may be absent. */
export function optional<T>(kind: Kind<T>, description: string): OptionalField<T> {
  return { kind, description };
}

/** A setting that must be there. */
export function required<T>(kind: Kind<T>, description: string): RequiredField<T> {
  return { kind, description, required: true };
}

/** A setting with a default. */
export function defaulted<T>(kind: Kind<T>, fallback: T, description: string): DefaultedField<T> {
  return { kind, description, fallback };
}

/** Settings under one name; absent ones get their defaults. Members that are not described are kept as they are. */
export function group<F extends Fields>(fields: F, description: string): DefaultedField<ReadAs<F>> {
  const kind = objectOf(fields);
  const empty = kind.read({}, '');
  if (empty.is === 'wrong') throw new TypeError('every member of a group is optional or has a default');
  return { kind, description, fallback: empty.value };
}

/** An object with described members; others are kept as they are. */
export function objectOf<F extends Fields>(fields: F): Kind<ReadAs<F>> {
  return {
    expected: 'an object',
    fields,
    read(value, path) {
      if (!isObject(value)) return wrong(path, value, this.expected);
      const read: Record<string, unknown> = { ...value };
      const problems: Problem[] = [];
      for (const [name, field] of Object.entries(fields)) {
        const member = readField(field, value[name], path === '' ? name : `${path}.${name}`);
        if (member.is === 'wrong') problems.push(...member.problems);
        else if (member.value === undefined) delete read[name];
        else read[name] = member.value;
      }
      // The mapped type follows from the fields just read; the compiler cannot see through the loop.
      return problems.length > 0 ? { is: 'wrong', problems } : readAs(read as ReadAs<F>);
    },
  };
}

function readField(field: Field, value: unknown, path: string): Reading<unknown> {
  if (value === undefined || value === null) {
    if ('required' in field) return mismatch(path, 'nothing', field.kind.expected);
    return readAs('fallback' in field ? field.fallback : undefined);
  }
  return field.kind.read(value, path);
}
