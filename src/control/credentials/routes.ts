import { ErrorBody, noBody } from '../../contract/bodies.ts';
import type { NodeCredentials } from '../../contract/flows.ts';
import type { JsonObject } from '../../contract/json.ts';
import { Type } from '../../contract/schema.ts';
import type { CredentialFields } from '../../link/protocol.ts';
import { dashed } from '../flows/credential-changes.ts';
import type { Feature } from '../http/feature.ts';

/** What the route needs. */
export interface CredentialsDeps {
  /** Stored credentials of one node. */
  credentialsOf(id: string): NodeCredentials | undefined;
  /** The declared fields of a type (dashes for spaces). */
  credentialFields(type: string): CredentialFields | undefined;
  /** Resolves when the engine has said which types there are. Throws AppError where it does not in time. */
  typesKnown(): Promise<void>;
}

const params = Type.Object({
  type: Type.String({ description: 'Node type, dashes for spaces' }),
  id: Type.String({ description: 'Node id' }),
});

/** `/credentials/:type/:id`: what the editor may know of a node's credentials. Passwords never leave. */
export const credentialsRoutes =
  (deps: CredentialsDeps): Feature =>
  async (app) => {
    app.get(
      '/credentials/:type/:id',
      {
        schema: {
          params,
          response: {
            200: Type.Object({}, { additionalProperties: true }),
            401: noBody('Not authorized'),
            503: ErrorBody,
          },
        },
        serializerCompiler: () => JSON.stringify,
        config: { needs: 'credentials.read', summary: 'Texts of credentials, and which passwords are set' },
      },
      async ({ params: { type, id } }) => {
        const stored = deps.credentialsOf(id);
        if (stored === undefined) return {};
        const name = dashed(type);
        // Without the fields they would look as if they were not set, and an editor could take them for deleted.
        if (!hasAnyFields(name) && deps.credentialFields(name) === undefined) await deps.typesKnown();
        return shownCredentials(name, stored, deps.credentialFields(name));
      },
    );
  };

/**
 * Texts by name, and `has_<name>` for passwords. Of types whose fields have any name, only which are set. Of types that
 * declare none, nothing.
 */
export function shownCredentials(
  type: string,
  stored: NodeCredentials,
  fields: CredentialFields | undefined,
): JsonObject {
  const value = (name: string): unknown => (Object.hasOwn(stored, name) ? stored[name] : undefined);
  const isSet = (name: string): boolean =>
    value(name) !== undefined && value(name) !== null && value(name) !== '';
  if (hasAnyFields(type)) {
    return Object.fromEntries(Object.keys(stored).map((name) => [`has_${name}`, isSet(name)]));
  }
  // Its one field is a map of secrets.
  if (type === 'global-config') return {};
  return Object.fromEntries(
    Object.entries(fields ?? {}).map(([name, field]) =>
      field.type === 'text' ? [name, value(name) || ''] : [`has_${name}`, isSet(name)],
    ),
  );
}

/** Whether the fields of a type have the names that its user gives them. */
function hasAnyFields(type: string): boolean {
  return /^(subflow(:.*)?|tab|group)$/.test(type);
}
