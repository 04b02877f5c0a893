import { describe, expect, it } from 'vitest';
import { clientPart, principalPart, readPlaneHeader } from './plane-header.ts';

describe('the plane header', () => {
  it('is read as it was written', () => {
    const client = { address: '::ffff:10.0.0.7', port: 40_123, encrypted: true };
    expect(readPlaneHeader(clientPart(client))).toEqual(client);
    const principal = { scope: ['flows.read', '*'], user: { username: 'zoë x', permissions: ['*'] } };
    expect(readPlaneHeader(clientPart(client) + principalPart(principal))).toEqual({ ...client, principal });
  });
});
