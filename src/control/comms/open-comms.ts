import type { Settings } from '../../settings/settings.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { CommsServer } from './comms-server.ts';
import type { CommsHub } from './hub.ts';
import { Multiplayer } from './multiplayer.ts';

/** The editors' WebSocket; there is none where there is no editor. */
export function openComms(
  settings: Settings,
  hub: CommsHub,
  auth: Authenticator,
  engine: Pick<Supervisor, 'send'>,
): CommsServer | undefined {
  const { httpAdminRoot, disableEditor, webSocketKeepAliveTime } = settings;
  if (httpAdminRoot === false || disableEditor) return undefined;
  const multiplayer = new Multiplayer((message, chosen) => comms.sendTo(message, chosen));
  const comms = new CommsServer({
    hub,
    path: `${httpAdminRoot}comms`,
    keepAliveMs: webSocketKeepAliveTime ?? 15_000,
    auth,
    onMessage: (message) => {
      multiplayer.receive(message);
      engine.send('comms.message', message, { droppable: true });
    },
    onConnection: (session, is) => {
      if (is === 'removed') multiplayer.closed(session);
      engine.send('comms.connection', { session, is });
    },
    onClose: () => multiplayer.close(),
  });
  return comms;
}
