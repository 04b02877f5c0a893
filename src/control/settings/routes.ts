import { noBody } from '../../contract/bodies.ts';
import { SettingsBody } from '../../contract/settings.ts';
import type { Feature } from '../http/feature.ts';
import { type SettingsBodyDeps, settingsBody } from './settings-body.ts';

/** `/settings`. */
export const settingsRoutes =
  (deps: SettingsBodyDeps): Feature =>
  async (app) => {
    // Node types add members: nothing for a serialiser that goes by names.
    app.setSerializerCompiler(() => JSON.stringify);

    app.get(
      '/settings',
      {
        schema: { response: { 200: SettingsBody, 401: noBody('Not authorized') } },
        config: { needs: 'settings.read', summary: 'What a client may know of the runtime' },
      },
      (request) => settingsBody(request.principal, deps),
    );
  };
