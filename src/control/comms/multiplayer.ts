import { randomBytes, randomInt } from 'node:crypto';
import { isObject } from '../../contract/json.ts';
import type { CommsMessage } from './hub.ts';

/** How long an editor that lost its connection keeps its place; milliseconds. */
const idleMs = 30_000;

/** What the others may know of a user. */
interface ShownUser {
  readonly username: string;
  readonly anonymous?: true;
  readonly image?: unknown;
}

/** What the others may know of an editor. */
interface Shown {
  readonly session: string;
  readonly user: ShownUser;
  readonly active: boolean;
  readonly location?: Location;
}

/** Where somebody is working. */
interface Location {
  readonly workspace?: string;
  readonly node?: string;
  readonly cursor?: { readonly x: number; readonly y: number };
}

/** Somebody's editor: over reconnections, until it was away for too long. */
interface Editor {
  shown: Shown;
  connection: string | undefined;
  idle: NodeJS.Timeout | undefined;
}

/** A frame from an editor: of which connection, by whom, and what. */
export interface MultiplayerFrame {
  readonly session: string;
  readonly topic: string;
  readonly user: unknown;
  readonly data: unknown;
}

/** Sends a message to those connections that are chosen by their ids. */
type Send = (message: CommsMessage, chosen: (connection: string) => boolean) => void;

/**
 * Tells editors of each other: who is there, and where each is working.
 * @remarks The id that an editor makes up for itself is a secret by which it is known again after a lost connection;
 * the others see a public one.
 */
export class Multiplayer {
  readonly #send: Send;
  /** By the editors' secret ids. */
  readonly #editors = new Map<string, Editor>();
  /** From connections to secret ids. */
  readonly #secrets = new Map<string, string>();

  constructor(send: Send) {
    this.#send = send;
  }

  receive({ session: connection, topic, user, data }: MultiplayerFrame): void {
    const members = isObject(data) ? data : {};
    if (topic === 'multiplayer/connect') this.#connect(connection, user, members['session']);
    else if (topic === 'multiplayer/location') this.#move(connection, user, members);
    else if (topic === 'multiplayer/disconnect') this.#leave(connection);
  }

  /** A connection was closed: its editor may come back. */
  closed(connection: string): void {
    const secret = this.#secrets.get(connection);
    const editor = secret === undefined ? undefined : this.#editors.get(secret);
    this.#secrets.delete(connection);
    if (secret === undefined || editor?.connection !== connection) return;
    editor.connection = undefined;
    editor.shown = { ...editor.shown, active: false };
    editor.idle = setTimeout(() => this.#editors.delete(secret), idleMs).unref();
    this.#toAll('connection-removed', { session: editor.shown.session });
  }

  close(): void {
    for (const { idle } of this.#editors.values()) clearTimeout(idle);
    this.#editors.clear();
    this.#secrets.clear();
  }

  #connect(connection: string, user: unknown, secret: unknown): void {
    if (typeof secret !== 'string' || !/^[a-zA-Z0-9]{1,64}$/.test(secret)) return;
    // One connection is one editor: whoever it was before has left.
    if (this.#secrets.has(connection) && this.#secrets.get(connection) !== secret) this.#leave(connection);
    const known = this.#editors.get(secret);
    if (known?.connection !== undefined) this.#secrets.delete(known.connection);
    clearTimeout(known?.idle);
    const shown = known
      ? { ...known.shown, active: true }
      : { session: `PUB${randomBytes(8).toString('hex')}PUB`, user: shownUser(user), active: true };
    this.#editors.set(secret, { shown, connection, idle: undefined });
    this.#secrets.set(connection, secret);
    this.#toOthers(connection, 'connection-added', shown);
    const sessions = [...this.#editors.values()].map((editor) => editor.shown).filter(({ active }) => active);
    const message = { topic: 'multiplayer/init', data: { session: shown.session, sessions } };
    this.#send(message, (id) => id === connection);
  }

  #move(connection: string, user: unknown, data: { readonly [name: string]: unknown }): void {
    const editor = this.#editorOf(connection);
    const location = locationOf(data);
    if (!editor || !location) return;
    // Somebody has logged in since.
    if (editor.shown.user.anonymous && isObject(user)) {
      editor.shown = { ...editor.shown, user: shownUser(user) };
      this.#toOthers(connection, 'connection-added', editor.shown);
    }
    editor.shown = { ...editor.shown, location };
    this.#toOthers(connection, 'location', { session: editor.shown.session, ...location });
  }

  #leave(connection: string): void {
    const secret = this.#secrets.get(connection);
    const editor = this.#editorOf(connection);
    if (secret === undefined || !editor) return;
    this.#secrets.delete(connection);
    this.#editors.delete(secret);
    this.#toAll('connection-removed', { session: editor.shown.session, disconnected: true });
  }

  #editorOf(connection: string): Editor | undefined {
    const secret = this.#secrets.get(connection);
    return secret === undefined ? undefined : this.#editors.get(secret);
  }

  #toAll(what: string, data: object): void {
    this.#send({ topic: `multiplayer/${what}`, data }, () => true);
  }

  #toOthers(connection: string, what: string, data: object): void {
    this.#send({ topic: `multiplayer/${what}`, data }, (id) => id !== connection);
  }
}

function shownUser(user: unknown): ShownUser {
  if (!isObject(user) || typeof user['username'] !== 'string')
    return { anonymous: true, username: `Anon ${randomInt(100)}` };
  return { username: user['username'], ...('image' in user ? { image: user['image'] } : {}) };
}

/** A location as the others may see it; undefined where it is none. */
function locationOf({ workspace, node, cursor }: { readonly [name: string]: unknown }): Location | undefined {
  if (!isIdOrNothing(workspace) || !isIdOrNothing(node)) return undefined;
  const place = { ...(workspace ? { workspace } : {}), ...(node ? { node } : {}) };
  if (!isObject(cursor)) return place;
  const { x, y } = cursor;
  if (typeof x !== 'number' || typeof y !== 'number') return undefined;
  return { ...place, cursor: { x, y } };
}

function isIdOrNothing(value: unknown): value is string | undefined | null {
  return (
    value === undefined || value === null || (typeof value === 'string' && /^[\w.-]{0,128}$/.test(value))
  );
}
