/** The command cannot be carried out as given. The message is one line for the person who typed it; exit code 1. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
