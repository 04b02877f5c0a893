import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a program prints that sees this package by its name, as authors of node modules do. */
function printed(code: string, ...options: string[]): string {
  return execFileSync(process.execPath, [...options, '-e', code], { cwd: root, encoding: 'utf8' }).trim();
}

const use = `
  const lower = (RED) => RED.nodes.registerType('lower', function (config) {
    RED.nodes.createNode(this, config);
    this.on('input', (msg) => this.send({ ...msg, payload: msg.payload.toLowerCase() }));
  });
  const flow = [{ id: 'a', type: 'lower', wires: [['b']] }, { id: 'b', type: 'helper' }];
  helper.load(lower, flow, () => {
    helper.getNode('b').on('input', async (msg) => {
      console.log(msg.payload, helper.getNode('a').send.callCount, typeof helper.palette);
      await helper.unload();
    });
    helper.getNode('a').receive({ payload: 'HELLO' });
  });`;

describe('the built sluice/testing', () => {
  it('is the helper for CommonJS', () => {
    expect(printed(`const helper = require('sluice/testing');${use}`)).toBe('hello 1 object');
  });

  it('is the default export for ES modules', () => {
    expect(printed(`import helper from 'sluice/testing';${use}`, '--input-type=module')).toBe(
      'hello 1 object',
    );
  });
});

describe('the built sluice/node', () => {
  it('has nothing at run time', () => {
    expect(
      printed(`import * as all from 'sluice/node'; console.log(Object.keys(all))`, '--input-type=module'),
    ).toBe('[]');
  });
});
