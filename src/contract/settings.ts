import { type Static, Type } from './schema.ts';

/** A library that the editor offers. */
export const LibraryInfo = Type.Object({
  id: Type.String(),
  label: Type.String({ description: 'A text, or the key of one' }),
  user: Type.Boolean(),
  icon: Type.Optional(Type.String()),
  types: Type.Optional(Type.Array(Type.String())),
  readOnly: Type.Optional(Type.Boolean()),
  type: Type.Optional(Type.String({ description: 'The plugin that it is of' })),
});
export type LibraryInfo = Static<typeof LibraryInfo>;

/** What the editor is told of the runtime: `GET /settings`. Node types add members of their own. */
export const SettingsBody = Type.Object(
  {
    httpNodeRoot: Type.String(),
    version: Type.String(),
    user: Type.Optional(
      Type.Object({
        anonymous: Type.Optional(Type.Boolean()),
        username: Type.Optional(Type.String()),
        image: Type.Optional(Type.Unknown()),
        permissions: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      }),
    ),
    context: Type.Optional(Type.Object({ default: Type.String(), stores: Type.Array(Type.String()) })),
    libraries: Type.Optional(Type.Array(LibraryInfo)),
    flowEncryptionType: Type.Optional(Type.String({ description: 'disabled, system or user' })),
  },
  { additionalProperties: true },
);
export type SettingsBody = Static<typeof SettingsBody>;

/** What the editor keeps for a user: any object. */
export const UserSettingsBody = Type.Object({}, { additionalProperties: true });
