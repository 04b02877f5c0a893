import type { FlowItem } from '../../contract/flows.ts';
import { isObject, type JsonObject } from '../../contract/json.ts';
import type { CredentialFields } from '../../link/protocol.ts';

/** One property of a subflow, as its `env` array lists it. */
interface SubflowProperty {
  readonly name: string;
  readonly type: string;
  readonly value: unknown;
  readonly ui: JsonObject;
}

/**
 * A subflow that a module offers as a node type (`RED.nodes.registerSubflow`).
 * Source: "Packaging a Subflow as a module" of the peer's documentation.
 */
export interface SubflowModule {
  readonly type: string;
  /** The subflow item itself. */
  readonly definition: FlowItem;
  /** The nodes inside it. */
  readonly flow: readonly FlowItem[];
  /** Its properties of type `cred`: kept as passwords, where there are any. */
  readonly credentials?: CredentialFields;
  /** The editor's part: palette entry and edit dialog. */
  readonly template: string;
}

/**
 * Reads a subflow as exported from the editor, with its nodes in `flow`.
 * @throws TypeError where the definition is not one.
 */
export function readSubflowModule(definition: unknown): SubflowModule {
  if (!isObject(definition) || typeof definition['id'] !== 'string') {
    throw new TypeError('registerSubflow needs the definition of a subflow, with its id');
  }
  const meta = isObject(definition['meta']) ? definition['meta'] : {};
  const type =
    typeof meta['type'] === 'string' && meta['type'] !== '' ? meta['type'] : `sf:${definition['id']}`;
  const properties = readProperties(definition['env']);
  const secret = properties.filter((property) => property.type === 'cred');
  const credentials = Object.fromEntries(
    secret.map(({ name }) => [name, { type: 'password' as const }]),
  ) satisfies CredentialFields;
  const { flow, ...item } = definition;
  return {
    type,
    definition: { type: 'subflow', ...item, id: definition['id'] } as FlowItem,
    flow: (Array.isArray(flow) ? flow : []) as readonly FlowItem[],
    ...(secret.length === 0 ? {} : { credentials }),
    template: subflowTemplate(type, definition, properties, credentials),
  };
}

function readProperties(env: unknown): SubflowProperty[] {
  return (Array.isArray(env) ? env : []).filter(isObject).map((entry) => ({
    name: String(entry['name']),
    type: typeof entry['type'] === 'string' ? entry['type'] : 'str',
    value: entry['value'],
    ui: isObject(entry['ui']) ? entry['ui'] : {},
  }));
}

/** How the editor holds a property's value: plain for the simple types, with its type for the others. */
function editorValue({ type, value }: SubflowProperty): unknown {
  switch (type) {
    case 'cred':
      return '';
    case 'str':
    case 'conf-type':
      return value || '';
    case 'num':
      return Number(value);
    case 'bool':
      return value === true || value === 'true';
    default:
      return { type, value: value || '' };
  }
}

/** The script and the dialog that make the editor offer the subflow as a node. */
function subflowTemplate(
  type: string,
  definition: JsonObject,
  properties: readonly SubflowProperty[],
  credentials: CredentialFields,
): string {
  const defaults: Record<string, unknown> = { name: { value: '' } };
  for (const property of properties) {
    const ui = property.type === 'cred' ? { ...property.ui, type: 'cred' } : property.ui;
    defaults[property.name] = { value: editorValue(property), ui };
  }
  const count = (ports: unknown) => (Array.isArray(ports) ? ports.length : 0);
  const entry = {
    subflowModule: true,
    category: definition['category'] || 'function',
    color: definition['color'] || '#C0DEED',
    icon: definition['icon'] || 'arrow-in.svg',
    inputs: count(definition['in']),
    outputs: count(definition['out']),
    inputLabels: definition['inputLabels'],
    outputLabels: definition['outputLabels'],
    paletteLabel: definition['name'] || type,
    defaults,
    credentials,
  };
  const help =
    typeof definition['info'] === 'string' && definition['info'] !== ''
      ? `<script type="text/markdown" data-help-name="${attribute(type)}">${definition['info'].replaceAll('</script', '&lt;/script')}</script>\n`
      : '';
  return `<script type="text/javascript">
(function (type, entry) {
${editorScript}
})(${script(type)}, ${script(entry)});
</script>
<script type="text/html" data-template-name="${attribute(type)}">
  <div class="form-row">
    <label for="node-input-name"><i class="fa fa-tag"></i> <span data-i18n="editor:common.label.name"></span></label>
    <input type="text" id="node-input-name" data-i18n="[placeholder]editor:common.label.name">
  </div>
  <div id="subflow-input-ui"></div>
</script>
${help}`;
}

/** Runs in the editor with `type` and `entry`; the values that the dialog gives become the node's properties. */
const editorScript = `  function keep(node, property) {
    var field = node._def.defaults[property.name] || {};
    var value = property.value;
    if (field.ui && field.ui.type === "cred") {
      node[property.name] = "";
      node.credentials[property.name] = value || "";
      node.credentials["has_" + property.name] = !!value;
    } else if (property.type === "str" || property.type === "conf-type") {
      node[property.name] = value || "";
    } else if (property.type === "num") {
      node[property.name] = Number(value);
    } else if (property.type === "bool") {
      node[property.name] = value === true || value === "true";
    } else {
      node[property.name] = { type: property.type, value: value || "" };
    }
  }
  entry.label = function () { return this.name || entry.paletteLabel; };
  entry.labelStyle = function () { return this.name ? "node_label_italic" : ""; };
  entry.oneditprepare = function () { RED.subflow.buildEditForm("subflow", this); };
  entry.oneditsave = function () {
    var node = this;
    RED.subflow.exportSubflowInstanceEnv(node).forEach(function (property) { keep(node, property); });
  };
  RED.nodes.registerType(type, entry);`;

/** JSON that cannot end the script element that it stands in. */
function script(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
