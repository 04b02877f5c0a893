import type { Field, Fields } from './kinds/index.ts';
import { sections } from './schema/index.ts';

const introduction = `# Settings

<!-- Generated from src/settings/schema by \`npm run docs\`; changes belong there. -->

Sluice reads its settings from a file in the user directory (\`~/.sluice\`, or the flag \`-u\`): \`settings.js\`, \`.cjs\`,
\`.mjs\`, \`.ts\` or \`.json\`, in this order; the flag \`-s\` names another. A first start writes a \`settings.js\` with
comments, \`sluice init\` one with a user. The file exports one object:

\`\`\`js
module.exports = {
  uiPort: 1880,
  diagnostics: { enabled: true },
};
\`\`\`

Settings files of Node-RED work unchanged, functions in them included. A wrong value ends the start with a line that
names the setting, what was found and what was expected. A setting that is not listed here is kept: node modules find it
in \`RED.settings\`.

The command line wins over the file: \`-p 1881\`, \`-D externalModules.palette.allowUpload=false\`, \`-D @more.json\`. A
dotted name reaches a member; a value is JSON where it can be read as such, text otherwise.

Of the environment Sluice reads \`NODE_RED_ENABLE_SAFE_MODE\` (\`safeMode\`), \`NODE_RED_ENABLE_TOURS\`
(\`editorTheme.tours\`) and \`NO_COLOR\`; the settings file may read whatever it likes, and the one that is written takes
\`PORT\` for \`uiPort\`. Changes of the file take effect with the next start.
`;

/** The text of docs/settings.md. */
export function settingsReference(): string {
  const parts = sections.map(({ title, fields }) => `## ${title}\n\n${table(fields)}`);
  return `${[introduction, ...parts].join('\n')}`;
}

function table(fields: Fields): string {
  return `| setting | type | default | |\n| --- | --- | --- | --- |\n${rows(fields, '').join('\n')}\n`;
}

function rows(fields: Fields, prefix: string): string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    `| \`${prefix}${name}\` | ${cell(field.kind.expected)} | ${fallback(field)} | ${cell(field.description)} |`,
    ...(field.kind.fields ? rows(field.kind.fields, `${prefix}${name}.`) : []),
  ]);
}

function fallback(field: Field): string {
  if ('required' in field) return 'required';
  // The defaults of a group stand with its members.
  if (!('fallback' in field) || field.kind.fields) return '';
  return `\`${cell(JSON.stringify(field.fallback) ?? '')}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
