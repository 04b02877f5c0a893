import { hash } from '@node-rs/bcrypt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AdminClient } from '../../src/client/index.ts';
import { packModule } from '../support/node-module.ts';
import { startServer, type TestServer } from '../support/server.ts';

describe('sluice/client', () => {
  let server: TestServer;
  let client: AdminClient;

  beforeAll(async () => {
    const password = await hash('secret', { cost: 4 });
    server = await startServer({
      settings: {
        adminAuth: { type: 'credentials', users: [{ username: 'admin', password, permissions: '*' }] },
        diagnostics: { enabled: true },
        runtimeState: { enabled: true },
      },
    });
    client = new AdminClient({ url: `${server.url}/` });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('logs in, and is refused before', async () => {
    expect((await client.loginMethod()).type).toBe('credentials');
    await expect(client.flows()).rejects.toMatchObject({ name: 'ApiError', status: 401, code: undefined });
    await expect(client.login({ username: 'admin', password: 'wrong' })).rejects.toMatchObject({
      status: 401,
    });
    expect(await client.login({ username: 'admin', password: 'secret' })).toMatchObject({
      token_type: 'Bearer',
    });
  });

  it('deploys, and is told of the deploys of others', async () => {
    const { rev: first } = await client.flows();
    const flows = [{ id: 'tab', type: 'tab', label: 'One' }];
    const { rev } = await client.deploy(flows, { rev: first });
    expect(await client.flows()).toEqual({ flows, rev });
    await expect(client.deploy([], { rev: first })).rejects.toMatchObject({
      status: 409,
      code: 'version_mismatch',
    });
    expect(await client.setFlowState('stop')).toEqual({ state: 'stop' });
    expect(await client.flowState()).toEqual({ state: 'stop' });
  });

  it('installs an upload, disables, enables and removes it', async () => {
    const file = await packModule({ name: 'client-module' });
    const installed = await client.upload('client-module-1.0.0.tgz', new Blob([file]));
    expect(installed.nodes.map(({ loaded }) => loaded)).toEqual([true]);
    expect(await client.setEnabled('client-module', false)).toMatchObject({ name: 'client-module' });
    expect((await client.module('client-module')).nodes[0]?.enabled).toBe(false);
    await client.remove('client-module');
    expect((await client.nodeSets()).some(({ module }) => module === 'client-module')).toBe(false);
    await expect(client.install('./relative')).rejects.toMatchObject({ status: 400 });
  });

  it('reads the report and the settings', async () => {
    expect(await client.diagnostics()).toMatchObject({ report: 'diagnostics', scope: 'basic' });
    expect((await client.settings()).version).toEqual(expect.any(String));
  });

  it('logs out', async () => {
    await client.logout();
    await expect(client.flows()).rejects.toMatchObject({ status: 401 });
  });
});
