import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { findFlowProblem } from '../contract/flow-problem.ts';
import type { FlowConfig, FlowItem } from '../contract/flows.ts';
import { piecesOf } from '../contract/flows-delta.ts';
import type { ItemPlaces } from '../contract/item-places.ts';
import { FlowText, layouts } from './flow-text.ts';
import { JsonDocument, type JsonDocumentOptions } from './json-document.ts';
import type { SerialisedFlows } from './serialised-flows.ts';

/** What decides where the flow file lies. */
export interface FlowFileLocation {
  readonly userDir: string;
  /** The setting, or the default name. */
  readonly flowFile: string;
  /** Nobody chose the name: a user directory of the peer may then hold `flows_<host>.json`, its default. */
  readonly isDefault: boolean;
  /** Folder that relative names are looked up in first. */
  readonly cwd: string;
}

/** Absolute path of the flow file: as given, relative to `cwd` (`./…`, or where it exists there), else in `userDir`. */
export function locateFlowFile({ userDir, flowFile, isDefault, cwd }: FlowFileLocation): string {
  if (isAbsolute(flowFile)) return flowFile;
  if (flowFile.startsWith('./') || flowFile.startsWith('.\\')) return resolve(cwd, flowFile);
  if (!isDefault && existsSync(join(cwd, flowFile))) return join(cwd, flowFile);
  const path = join(userDir, flowFile);
  const ofPeer = join(userDir, `flows_${hostname()}.json`);
  return isDefault && !existsSync(path) && existsSync(ofPeer) ? ofPeer : path;
}

/** Absolute path of the credential file that belongs to a flow file: in the user directory if it is there, else beside. */
export function locateCredentialFile(flowFile: string, userDir: string): string {
  const extension = extname(flowFile);
  const name = `${basename(flowFile, extension)}_cred${extension}`;
  const inUserDir = join(userDir, name);
  return existsSync(inUserDir) ? inUserDir : join(dirname(flowFile), name);
}

/** What the flow file was found to hold; a missing one holds no flows. */
export type FlowFileContent =
  | { readonly is: 'flows'; readonly flows: FlowConfig; readonly existed: boolean }
  | { readonly is: 'broken'; readonly reason: string };

/**
 * The flow file.
 * @remarks A broken one (not JSON, or not an array of items with `id` and `type`) is reported with its place and left
 * untouched; {@link write}, that is the next explicit deploy, keeps a copy of it before it is replaced. Unknown
 * properties of items are kept.
 */
export class FlowFile {
  readonly #document: JsonDocument;
  #broken = false;
  /** The last text with an indent, of which the next one is made. */
  #pretty: { readonly places: ItemPlaces; readonly text: FlowText } | undefined;

  constructor(options: JsonDocumentOptions) {
    this.#document = new JsonDocument(options);
  }

  get path(): string {
    return this.#document.path;
  }

  /** The setting: deploys are then kept in memory only. */
  get readOnly(): boolean {
    return this.#document.readOnly;
  }

  /** Reads what is there now. Never throws. */
  async read(): Promise<FlowFileContent> {
    const content = await this.#read();
    this.#broken = content.is === 'broken';
    return content;
  }

  /** Replaces the flows; see {@link JsonDocument.write}. */
  async write(flows: SerialisedFlows): Promise<void> {
    if (this.readOnly) return;
    await this.#document.writeText(this.#textOf(flows), this.#broken ? 'broken' : undefined);
    this.#broken = false;
  }

  #textOf({ flows, text, places }: SerialisedFlows): Buffer {
    if (!this.#document.pretty) return text.bytes;
    const last = this.#pretty;
    const pretty = last?.text.next(piecesOf(last.places, flows)) ?? FlowText.of(flows, layouts.pretty);
    this.#pretty = { places, text: pretty };
    return pretty.bytes;
  }

  async #read(): Promise<FlowFileContent> {
    const content = await this.#document.read();
    switch (content.is) {
      case 'missing':
        return { is: 'flows', flows: [], existed: false };
      case 'broken':
        return content;
      case 'json': {
        const problem = findFlowProblem(content.value, { duplicates: 'allowed' });
        if (problem !== undefined) return { is: 'broken', reason: problem };
        return { is: 'flows', flows: content.value as FlowItem[], existed: true };
      }
      default:
        return content satisfies never;
    }
  }
}
