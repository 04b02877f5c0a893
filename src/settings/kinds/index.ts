/**
 * Kinds of values that a setting can have: each knows how to read a value and how to name what it expects.
 * @remarks Written by hand and not as JSON schemas, because settings hold functions, buffers and spellings of the same
 * thing ("5mb" and 5242880), and because each wrong value must be reported in words for an administrator.
 */
export { either, listOf, mapped, oneOrMore, orOff, recordOf } from './combined.ts';
export { defaulted, group, objectOf, optional, required } from './fields.ts';
export type { Field, Fields, Kind, Problem, ReadAs } from './kind.ts';
export {
  anything,
  bytes,
  flag,
  func,
  integer,
  number,
  off,
  oneOf,
  plainObject,
  secret,
  text,
} from './values.ts';
