import { execFile } from 'node:child_process';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { describe, it } from 'vitest';

/** The services that tests speak to, where they are. Overridden by `<NAME>_PORT`. */
const ports = { Mosquitto: 1883, MariaDB: 3306, PostgreSQL: 5432, Redis: 6379, NATS: 4222, RabbitMQ: 5672 };

/** A service that some tests need and a machine may lack. */
export type Service = keyof typeof ports | 'the npm registry';

/** Where a service listens on this machine. */
export function portOf(service: keyof typeof ports): number {
  return Number(process.env[`${service.toUpperCase()}_PORT`] ?? ports[service]);
}

/** Whether a service answers here. */
export async function isReachable(service: Service): Promise<boolean> {
  return service === 'the npm registry' ? registryAnswers() : portAnswers(portOf(service));
}

/**
 * `describe` for tests that need a service. Where it cannot be reached they are skipped, and the name says why; on a
 * CI machine (`CI=true`), which must have it, they fail.
 * @example await describeWith('Mosquitto', 'mqtt in', () => { it(…) });
 */
export async function describeWith(service: Service, name: string, body: () => void): Promise<void> {
  if (await isReachable(service)) {
    describe(name, body);
  } else if (process.env['CI'] === 'true') {
    describe(name, () => {
      it(`reaches ${service}`, () => {
        throw new Error(`${service} cannot be reached`);
      });
    });
  } else {
    describe.skip(`${name} (${service} cannot be reached)`, body);
  }
}

function portAnswers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2000 });
    const done = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.once('connect', () => done(true));
    socket.once('error', () => done(false));
    socket.once('timeout', () => done(false));
  });
}

async function registryAnswers(): Promise<boolean> {
  try {
    await promisify(execFile)('npm', ['ping', '--fetch-retries=0', '--fetch-timeout=5000'], {
      timeout: 20_000,
      shell: process.platform === 'win32',
    });
    return true;
  } catch {
    return false;
  }
}
