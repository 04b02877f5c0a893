import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import { isObject } from '../../contract/json.ts';
import { UserSettingsBody } from '../../contract/settings.ts';
import type { Principal } from '../auth/principal.ts';
import type { Feature } from '../http/feature.ts';
import { nobody, type UserSettings } from './user-settings.ts';

/** `/settings/user`. */
export const userSettingsRoutes =
  (users: Pick<UserSettings, 'of' | 'merge'>): Feature =>
  async (app) => {
    // Users keep what they like: nothing for a serialiser that goes by names.
    app.setSerializerCompiler(() => JSON.stringify);

    app.get(
      '/settings/user',
      {
        schema: { response: { 200: UserSettingsBody, 401: noBody('Not authorized') } },
        config: { needs: 'settings.read', summary: 'What the editor keeps for the user' },
      },
      (request) => users.of(nameOf(request.principal)),
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
        await users.merge(nameOf(request.principal), request.body);
        return reply.code(204).send(null);
      },
    );
  };

function nameOf({ user }: Principal): string {
  return user?.username ?? nobody;
}
