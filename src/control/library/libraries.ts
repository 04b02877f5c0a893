import type { LibraryInfo } from '../../contract/settings.ts';

/** The libraries that there are; labels are keys of the editor's own texts. */
export const libraries: readonly LibraryInfo[] = [
  { id: 'local', label: 'editor:library.types.local', user: false, icon: 'font-awesome/fa-hdd-o' },
  {
    id: 'examples',
    label: 'editor:library.types.examples',
    user: false,
    icon: 'font-awesome/fa-life-ring',
    types: ['flows'],
    readOnly: true,
  },
];
