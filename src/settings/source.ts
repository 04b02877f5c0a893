/** Where settings come from: enough for either plane to load the same ones. */
export interface SettingsSource {
  /** Absolute path of the user directory. */
  readonly userDir: string;
  /** Absolute path of the settings file, where there is one. */
  readonly file?: string;
  /** Values from the command line (`-p`, `-D`, …), by dotted name; they win over the file. */
  readonly overrides: { readonly [dottedName: string]: unknown };
  /** Flow file given as the argument; wins over `flowFile`. */
  readonly flowFile?: string;
}
