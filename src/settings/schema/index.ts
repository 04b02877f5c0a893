import { editorSettings } from './editor.ts';
import { engineSettings } from './engine.ts';
import { fileSettings } from './files.ts';
import { nodeSettings } from './nodes.ts';
import { runtimeSettings } from './runtime.ts';
import { securitySettings } from './security.ts';
import { serverSettings } from './server.ts';

/** The sections of the reference page, in order. */
export const sections = [
  { title: 'Flow file and user directory', fields: fileSettings },
  { title: 'Security', fields: securitySettings },
  { title: 'HTTP server', fields: serverSettings },
  { title: 'Runtime', fields: runtimeSettings },
  { title: 'Editor', fields: editorSettings },
  { title: 'Nodes', fields: nodeSettings },
  { title: 'Engine process', fields: engineSettings },
] as const;

/** Every setting: type, default and description. Validation, the types and the reference page all come from here. */
export const schema = {
  ...fileSettings,
  ...securitySettings,
  ...serverSettings,
  ...runtimeSettings,
  ...editorSettings,
  ...nodeSettings,
  ...engineSettings,
};
