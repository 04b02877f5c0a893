import {
  anything,
  defaulted,
  either,
  flag,
  group,
  listOf,
  oneOf,
  optional,
  orOff,
  plainObject,
  recordOf,
  text,
} from '../kinds/index.ts';

/** The editor. */
export const editorSettings = {
  editorTheme: group(
    {
      theme: optional(text, 'Id of an installed theme.'),
      tours: optional(either(flag, text), 'Shows the welcome tours.'),
      page: optional(orOff(plainObject), '`title`, `favicon`, `css`, `scripts`, `tabicon` of the page.'),
      header: optional(orOff(plainObject), '`title`, `image`, `url` of the header.'),
      deployButton: optional(orOff(plainObject), '`type` (`simple`), `label`, `icon`.'),
      menu: optional(orOff(plainObject), 'Entries of the menu: `false` hides one.'),
      userMenu: optional(anything, 'Shows the menu of the user.'),
      login: optional(orOff(plainObject), '`image` of the log-in page.'),
      logout: optional(orOff(plainObject), '`redirect` after log-out.'),
      library: optional(orOff(plainObject), '`sources` of further libraries.'),
      palette: group(
        { categories: optional(anything, 'Order of the categories.') },
        'The palette: `catalogues`, `theme`, `categories`, ….',
      ),
      projects: group(
        {
          enabled: defaulted(
            flag,
            false,
            'Projects are not offered by Sluice; the value is reported as it is.',
          ),
          workflow: group(
            { mode: defaulted(oneOf(['manual', 'auto']), 'manual', 'How changes are committed.') },
            'Workflow.',
          ),
        },
        'Projects.',
      ),
      codeEditor: group(
        {
          lib: defaulted(oneOf(['monaco', 'ace', 'basic']), 'monaco', 'Which code editor is used.'),
          options: group(
            { theme: defaulted(text, 'vs', 'Theme of the code editor.') },
            'Options of the code editor.',
          ),
        },
        'The code editor.',
      ),
      markdownEditor: optional(orOff(plainObject), 'Options of the markdown editor.'),
      mermaid: optional(orOff(plainObject), 'Options of mermaid diagrams.'),
      multiplayer: group(
        { enabled: defaulted(flag, false, 'Shows who else has the editor open.') },
        'Several people at once.',
      ),
      keymap: optional(anything, 'Keys by action.'),
    },
    'Look and options of the editor.',
  ),
  paletteCategories: optional(listOf(text), 'Order of the categories of the palette.'),
  nodeDefaults: optional(recordOf(plainObject), 'Default values for new nodes, by type.'),
};
