import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { SettingsBody, UserSettingsBody } from '../../contract/settings.ts';
import type { Principal } from '../auth/principal.ts';
import type { Feature } from '../http/feature.ts';
import { type SettingsBodyDeps, settingsBody } from './settings-body.ts';
import { nobody, type UserSettings } from './user-settings.ts';

/** What the routes need. */
export interface SettingsRoutesDeps extends SettingsBodyDeps {
  readonly users: Pick<UserSettings, 'of' | 'merge'>;
}

/** `/settings` and `/settings/user`. */
export const settingsRoutes =
  (deps: SettingsRoutesDeps): Feature =>
  async (app) => {
    // Node types add members, and users keep what they like: nothing for a serialiser that goes by names.
    app.setSerializerCompiler(() => JSON.stringify);

    app.get(
      '/settings',
      {
        schema: { response: { 200: SettingsBody, 401: noBody('Not authorized') } },
        config: { needs: 'settings.read', summary: 'What a client may know of the runtime' },
      },
      (request) => settingsBody(request.principal, deps),
    );

    app.get(
      '/settings/user',
      {
        schema: { response: { 200: UserSettingsBody, 401: noBody('Not authorized') } },
        config: { needs: 'settings.read', summary: 'What the editor keeps for the user' },
      },
      (request) => deps.users.of(nameOf(request.principal)),
    );

    app.post(
      '/settings/user',
      {
        schema: {
          body: UserSettingsBody,
          response: { 204: noBody('Stored'), 400: ErrorBody, 401: noBody('Not authorized') },
        },
        config: { needs: 'settings.write', summary: 'Merges into what the editor keeps for the user' },
      },
      async (request, reply) => {
        if (!isObject(request.body))
          throw new AppError('invalid_request', { detail: 'The body must be an object' });
        await deps.users.merge(nameOf(request.principal), request.body);
        return reply.code(204).send(null);
      },
    );
  };

function nameOf({ user }: Principal): string {
  return user?.username ?? nobody;
}
