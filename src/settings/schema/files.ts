import {
  anything,
  defaulted,
  either,
  flag,
  mapped,
  off,
  oneOrMore,
  optional,
  orOff,
  secret,
  text,
} from '../kinds/index.ts';

/** Flow file and user directory. */
export const fileSettings = {
  flowFile: defaulted(
    text,
    'flows.json',
    'The file that holds the flows: an absolute path, a path that starts with `./` (from the current directory), or a ' +
      'name. A file of that name in the current directory is preferred to one in the user directory.',
  ),
  flowFilePretty: defaulted(
    flag,
    false,
    'Writes the flow file over several lines, so that version control can show what changed.',
  ),
  credentialSecret: optional(
    either(secret, off),
    'The secret with which the credentials of nodes are encrypted on disk. Without it one is generated and kept in ' +
      '`.config.runtime.json`; `false` stores them in clear.',
  ),
  credentialsFile: optional(
    text,
    'Path of the file of credentials, where it is not to lie beside the flow file.',
  ),
  readOnly: defaulted(flag, false, 'Nothing is written to disk: changes last until the next restart.'),
  userDir: optional(text, 'The user directory. The flag `-u` wins over it.'),
  nodesDir: defaulted(
    mapped(orOff(oneOrMore(text)), (folders) => folders ?? []),
    [],
    'Further folders that are searched for node modules: one path or an array.',
  ),
  nodesExcludes: defaulted(
    oneOrMore(text),
    [],
    'Files of core nodes that are not loaded, by file name, such as `90-exec.js`.',
  ),
  nodesIncludes: optional(oneOrMore(text), 'Where given, only these files of core nodes are loaded.'),
  storageModule: optional(
    anything,
    'A storage module of another runtime. Not supported: Sluice keeps flows in files of its own. A warning is logged.',
  ),
};
