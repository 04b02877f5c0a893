import { createRequire, Module } from 'node:module';

/**
 * Gives CommonJS modules a `require.main`, which the process of an ES module lacks: some node modules look at its
 * `filename` and `paths`, or require what the runtime has by it.
 * @param file absolute path of the program
 */
export function provideMainModule(file: string): void {
  const main = Object.assign(new Module(file), { filename: file, loaded: true });
  main.paths = createRequire(file).resolve.paths('some-package') ?? [];
  // What `require.main` is read from, in every module loaded from now on.
  process.mainModule = main;
}
