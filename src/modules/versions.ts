import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Loaded when a version is first compared: most starts compare none. */
const semver = () => require('semver') as typeof import('semver');

/** Whether a text is one version, such as `1.2.3-beta.1`, and not a range or a tag. */
export function isExactVersion(text: string): boolean {
  return /^\d/.test(text) && text.length < 257 && text === text.trim() && semver().valid(text) !== null;
}

/** Whether a version lies in a range; a range that can't be read holds every version. */
export function isInRange(version: string, range: string): boolean {
  return semver().validRange(range) === null || semver().satisfies(version, range);
}
