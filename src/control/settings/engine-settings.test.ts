import { expect, it } from 'vitest';
import { AppError } from '../../contract/errors.ts';
import { EngineSettingsReader } from './engine-settings.ts';

const memory = { module: 'memory', config: {} };

it.each([
  [undefined, { default: 'memory', stores: ['memory'] }],
  [{}, { default: 'memory', stores: ['memory'] }],
  [
    { file: memory, default: memory },
    { default: 'default', stores: ['file', 'default'] },
  ],
  [
    { ram: memory, file: memory },
    { default: 'ram', stores: ['ram', 'file'] },
  ],
  [
    { default: 'file', ram: memory, file: memory },
    { default: 'file', stores: ['ram', 'file'] },
  ],
  [{ default: 'memory' }, { default: 'memory', stores: ['memory'] }],
])('with the context stores %j, an engine that is away means %j', async (contextStorage, context) => {
  const engine = { call: () => Promise.reject(new AppError('engine.gone')) };
  const settings = contextStorage === undefined ? {} : { contextStorage };
  expect(await new EngineSettingsReader(engine, settings as never).read()).toEqual({
    exported: {},
    context,
    libraryTypes: ['functions', 'templates'],
  });
});

it('remembers what the engine said last', async () => {
  const said = { exported: { a: 1 }, context: { default: 'x', stores: ['x'] }, libraryTypes: ['y'] };
  let away = false;
  const engine = { call: async () => (away ? Promise.reject(new AppError('engine.timeout')) : said) };
  const reader = new EngineSettingsReader(engine, {} as never);
  expect(await reader.read()).toEqual(said);
  away = true;
  expect(await reader.read()).toEqual(said);
});
